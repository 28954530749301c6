//! Handles: pointers that say what they are, and whether somebody uses them.

use crate::border::{Failure, Outcome, SOLIO_BUSY, SOLIO_HANDLE};
use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The memory behind a handle. The mark comes first, whatever the value is: a handle of another kind is
/// read no further.
#[repr(C)]
pub(crate) struct Held<T> {
    /// What it is; zero once it was freed, as far as that can be seen.
    mark: AtomicU64,
    busy: AtomicBool,
    value: UnsafeCell<T>,
}

/// A handle of C.
pub(crate) trait Opaque: Sized {
    type Inner;
    /// Tells this kind of handle from all others.
    const MARK: u64;
    const NAME: &'static str;

    fn new(value: Self::Inner) -> *mut Self {
        let held = Held {
            mark: AtomicU64::new(Self::MARK),
            busy: AtomicBool::new(false),
            value: UnsafeCell::new(value),
        };
        Box::into_raw(Box::new(held)).cast()
    }

    /// The memory of a handle, where it is one.
    ///
    /// # Safety
    /// Null, or readable memory.
    unsafe fn held<'a>(handle: *const Self) -> Outcome<&'a Held<Self::Inner>> {
        let held = handle.cast::<Held<Self::Inner>>();
        let mark = match held.is_null() || !held.is_aligned() {
            true => 0,
            // SAFETY: readable as the caller promises; the mark tells whether the rest is there.
            false => unsafe { (*held).mark.load(Ordering::Acquire) },
        };
        if mark != Self::MARK {
            return Err(Failure::new(SOLIO_HANDLE, format!("this is no {}", Self::NAME)));
        }
        // SAFETY: made by `new` and not freed, as the mark says.
        Ok(unsafe { &*held })
    }

    /// Takes a handle for one call.
    ///
    /// # Safety
    /// As for [`Opaque::held`].
    unsafe fn take<'a>(handle: *const Self) -> Outcome<Taken<'a, Self::Inner>> {
        // SAFETY: as the caller promises.
        let held = unsafe { Self::held(handle) }?;
        if held.busy.swap(true, Ordering::Acquire) {
            let text = format!("another thread is using the {}", Self::NAME);
            return Err(Failure::new(SOLIO_BUSY, text));
        }
        Ok(Taken { held })
    }

    /// Frees a handle; null is nothing to do.
    ///
    /// # Safety
    /// As for [`Opaque::held`].
    unsafe fn free(handle: *mut Self) -> Outcome {
        if handle.is_null() {
            return Ok(());
        }
        // SAFETY: as the caller promises.
        let taken = unsafe { Self::take(handle) }?;
        taken.held.mark.store(0, Ordering::Release);
        std::mem::forget(taken);
        // SAFETY: made by `new`; nobody else has it, as it was not busy.
        drop(unsafe { Box::from_raw(handle.cast::<Held<Self::Inner>>()) });
        Ok(())
    }
}

/// A handle's value during a call.
pub(crate) struct Taken<'a, T> {
    held: &'a Held<T>,
}

impl<T> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        // After a panic the value may be half changed.
        if !std::thread::panicking() {
            self.held.busy.store(false, Ordering::Release);
        }
    }
}

impl<T> Deref for Taken<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: `busy` keeps all others out.
        unsafe { &*self.held.value.get() }
    }
}

impl<T> DerefMut for Taken<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: `busy` keeps all others out.
        unsafe { &mut *self.held.value.get() }
    }
}

impl<T: Sync> Held<T> {
    /// The value for calls that may come side by side.
    pub(crate) fn shared(&self) -> &T {
        // SAFETY: such handles are only ever looked at through shared references.
        unsafe { &*self.value.get() }
    }
}

/// Declares a handle that C sees as a structure without fields.
macro_rules! opaque {
    ($(#[$doc:meta])* $name:ident, $inner:ty, $mark:literal, $text:literal) => {
        $(#[$doc])*
        #[repr(C)]
        #[allow(non_camel_case_types)]
        pub struct $name {
            hidden: [u8; 0],
        }

        impl $crate::handle::Opaque for $name {
            type Inner = $inner;
            const MARK: u64 = u64::from_le_bytes(*$mark);
            const NAME: &'static str = $text;
        }
    };
}
pub(crate) use opaque;
