//! Processes that do not outlive this one, however it ends.
//!
//! Linux sends a signal to a child when the *thread* that started it ends. All children are
//! therefore started by one thread, which ends with the process.

use crate::sys;
use solio_base::lock;
use std::io;
use std::process::{Child, Command};
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

/// What the thread is asked for, and where its answer goes.
type SpawnRequest = (Command, Sender<io::Result<Child>>);

/// The thread, and the process that it belongs to: a fork does not have it.
static STARTER: Mutex<Option<(u32, Sender<SpawnRequest>)>> = Mutex::new(None);

/// Starts `command`; where the system can, the child is killed when this process ends, if that is
/// killed itself.
///
/// ```
/// use std::process::{Command, Stdio};
/// let mut command = Command::new("tr");
/// command.args(["a-z", "A-Z"]).stdin(Stdio::piped()).stdout(Stdio::piped());
/// let mut child = solio_io::child::start_tied(command)?;
/// std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"frame 12")?;
/// assert_eq!(child.wait_with_output()?.stdout, b"FRAME 12");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Those of [`Command::spawn`].
pub fn start_tied(command: Command) -> io::Result<Child> {
    let (answer, answered) = channel();
    let sent = starter()?.send((command, answer));
    let gone = || io::Error::other("the thread that starts processes is gone");
    sent.map_err(|_| gone())?;
    answered.recv().map_err(|_| gone())?
}

fn starter() -> io::Result<Sender<SpawnRequest>> {
    let mut starter = lock(&STARTER);
    let here = std::process::id();
    if let Some((_, sender)) = starter.as_ref().filter(|(process, _)| *process == here) {
        return Ok(sender.clone());
    }
    let (sender, requests) = channel::<SpawnRequest>();
    let run = move || {
        for (command, answer) in requests {
            // Who does not wait any more gets no child: it is dropped with the answer.
            if let Err(unwanted) = answer.send(sys::start_tied(command))
                && let Ok(mut child) = unwanted.0
            {
                let _ = child.kill();
                let _ = child.wait();
            }
        }
    };
    std::thread::Builder::new().name("solio starter".into()).spawn(run)?;
    *starter = Some((here, sender.clone()));
    Ok(sender)
}

#[cfg(test)]
mod tests {
    use super::*;

    const READS: &str = "SOLIO_TEST_READS";

    /// What is started below.
    #[test]
    fn a_child_that_reads() {
        if std::env::var_os(READS).is_some() {
            io::copy(&mut io::stdin(), &mut io::sink()).unwrap();
        }
    }

    #[test]
    fn children_outlive_the_thread_that_asks_for_them() {
        let ask = || {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "child::tests::a_child_that_reads"]).env(READS, "");
            command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null());
            start_tied(command).unwrap()
        };
        let mut child = std::thread::spawn(ask).join().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(child.try_wait().unwrap().is_none());
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
        let missing = start_tied(Command::new("/no/such/program")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }
}
