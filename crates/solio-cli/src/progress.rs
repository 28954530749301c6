//! Shows the progress of a job: a bar on a terminal, JSON lines when asked, nothing in a pipe.

use crate::args::ProgressChoice;
use crate::schema;
use crate::screen::say;
use crate::table::{bytes, some};
use crate::terminal_bar::shown_bar;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use solio::{Progress, Progressed};
use std::cell::OnceCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Looks at the counts of a job until dropped.
pub(crate) struct ShownProgress {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ShownProgress {
    /// Starts to show `progress`; `name` is what is being worked on.
    pub(crate) fn start(how: ProgressChoice, name: &str, progress: &Progress) -> ShownProgress {
        let stop = Arc::new(AtomicBool::new(false));
        let (name, progress) = (name.to_owned(), progress.clone());
        let until = Arc::clone(&stop);
        let thread = match how {
            ProgressChoice::Json => Some(std::thread::spawn(move || {
                let mut told = false;
                watch(&until, Duration::from_millis(500), || {
                    told = true;
                    json(&name, progress.now());
                });
                // The last line has all; short jobs have none.
                if told {
                    json(&name, progress.now());
                }
            })),
            _ if !how.is_bar() => None,
            _ => Some(std::thread::spawn(move || {
                let bar = OnceCell::new();
                let look = || draw(bar.get_or_init(|| new_bar(&name)), progress.now());
                watch(&until, Duration::from_millis(100), look);
                if let Some(bar) = bar.get() {
                    *shown_bar() = None;
                    bar.finish_and_clear();
                }
            })),
        };
        ShownProgress { stop, thread }
    }
}

impl Drop for ShownProgress {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join(); // a broken bar must not fail the job
        }
    }
}

fn watch(stop: &AtomicBool, every: Duration, mut look: impl FnMut()) {
    // Short jobs finish before the first look, and then nothing flickers.
    std::thread::park_timeout(every);
    while !stop.load(Ordering::Relaxed) {
        look();
        std::thread::park_timeout(every);
    }
}

/// While reading, the share is known; while writing, only what is done.
const READING: &str = "{prefix:.bold} reading [{bar:24}] {percent:>3}% of {decimal_total_bytes}";
const WRITING: &str = "{prefix:.bold} {spinner} {msg}  {elapsed}";

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ")
}

fn new_bar(name: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr())
        .with_prefix(crate::terminal::escaped(name).into_owned());
    *shown_bar() = Some(bar.clone());
    bar
}

fn draw(bar: &ProgressBar, now: Progressed) {
    let (template, message) = appearance(now);
    // Each of these draws but the first: at no moment may the bar show 100 % of nothing.
    bar.set_style(style(template));
    if !message.is_empty() {
        bar.set_message(message);
    }
    bar.set_length(now.read_total_bytes.max(now.read_bytes));
    bar.set_position(now.read_bytes);
    bar.tick();
}

/// How the bar looks at a moment, and what it says. How much will be read may become known later.
fn appearance(now: Progressed) -> (&'static str, String) {
    if now.written_bytes > 0 {
        (WRITING, format!("written {}", bytes(now.written_bytes)))
    } else if now.read_total_bytes > 0 {
        (READING, String::new())
    } else {
        // A pipe does not say how much will come, and a list reads nothing.
        let message = match now.read_bytes {
            0 => some(now.files, "file"),
            read => format!("read {}", bytes(read)),
        };
        (WRITING, message)
    }
}

fn json(name: &str, now: Progressed) {
    let line = serde_json::json!({
        "job": name,
        "read_bytes": now.read_bytes,
        "read_total_bytes": now.read_total_bytes,
        "written_bytes": now.written_bytes,
        "files": now.files,
    });
    say(&schema::object("progress/1", &[], line).to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_that_comes_late_is_shown() {
        let mut now = Progressed::default();
        assert_eq!(appearance(now), (WRITING, "0 files".into()));
        now.files = 1;
        assert_eq!(appearance(now), (WRITING, "1 file".into()));
        now.read_bytes = 2_000;
        assert_eq!(appearance(now), (WRITING, "read 2.00 kB".into()));
        now.read_total_bytes = 9_000;
        assert_eq!(appearance(now), (READING, String::new()));
        now.written_bytes = 3_000;
        assert_eq!(appearance(now), (WRITING, "written 3.00 kB".into()));
    }
}
