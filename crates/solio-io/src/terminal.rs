//! What a terminal must be told before colours are sent to it.

use crate::sys;

/// One of the streams that a program prints to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printed {
    /// Data.
    Out,
    /// Messages.
    Err,
}

/// Whether a stream understands escapes (`ESC [`). A console of Windows does from Windows 10 on, once it is
/// asked to, which this does; everything else, pipes and files too, takes them as they come.
///
/// ```
/// use solio_io::terminal::{Printed, takes_escapes};
/// // What a test prints goes into a pipe, or to a terminal.
/// assert!(takes_escapes(Printed::Out) && takes_escapes(Printed::Err));
/// ```
pub fn takes_escapes(stream: Printed) -> bool {
    sys::takes_escapes(stream)
}
