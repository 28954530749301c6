//! What this machine is called.

/// The name of this machine, as `uname -n` prints it.
pub fn host_name() -> String {
    crate::sys::machine_and_release().0
}
