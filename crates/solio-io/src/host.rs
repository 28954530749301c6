//! What this machine is called.

/// The name of this machine, as `uname -n` prints it.
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
