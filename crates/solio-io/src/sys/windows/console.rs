//! Consoles. Their text needs nothing: the standard library hands it over in 16-bit units, whatever the
//! code page is.

use crate::terminal::Printed;
use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::Console::{
    ENABLE_PROCESSED_OUTPUT, ENABLE_VIRTUAL_TERMINAL_PROCESSING, GetConsoleMode, GetStdHandle,
    STD_ERROR_HANDLE, STD_OUTPUT_HANDLE, SetConsoleMode,
};

/// Asks the console behind a stream to understand escapes. Whatever else is there takes them.
pub(crate) fn takes_escapes(stream: Printed) -> bool {
    let which = match stream {
        Printed::Out => STD_OUTPUT_HANDLE,
        Printed::Err => STD_ERROR_HANDLE,
    };
    // SAFETY: the call takes a number; what it gives is not closed.
    asked(unsafe { GetStdHandle(which) })
}

fn asked(handle: HANDLE) -> bool {
    const BOTH: u32 = ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING;
    let mut mode = 0;
    // SAFETY: a handle that is none, or no console's, is refused; the number is there to be filled.
    unsafe {
        GetConsoleMode(handle, &mut mode) == 0
            || mode & BOTH == BOTH
            || SetConsoleMode(handle, mode | BOTH) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::windows::files::create_file;
    use std::os::windows::io::AsRawHandle;
    use windows_sys::Win32::Foundation::{GENERIC_READ, GENERIC_WRITE};
    use windows_sys::Win32::Storage::FileSystem::OPEN_EXISTING;

    #[test]
    #[allow(clippy::print_stdout)]
    fn a_console_is_asked_and_a_file_is_not() {
        let file = tempfile::tempfile().unwrap();
        assert!(asked(file.as_raw_handle()) && asked(core::ptr::null_mut()));
        // Without a console, as in a service, there is none to ask.
        let both = GENERIC_READ | GENERIC_WRITE;
        let Ok(console) = create_file("CONOUT$".as_ref(), both, OPEN_EXISTING, 0) else {
            println!("skipped: no console");
            return;
        };
        let handle = console.as_raw_handle();
        let mode = || {
            let mut mode = 0;
            // SAFETY: the handle is open.
            let told = unsafe { GetConsoleMode(handle, &mut mode) };
            (told != 0).then_some(mode)
        };
        // SAFETY: the handle is open.
        unsafe { SetConsoleMode(handle, ENABLE_PROCESSED_OUTPUT) };
        if asked(handle) {
            let is_on = |mode| mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0;
            assert!(mode().is_none_or(is_on));
        }
    }
}
