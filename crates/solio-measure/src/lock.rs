use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, also after a panic of a thread that held it.
///
/// ```
/// use std::sync::Mutex;
/// let numbers = Mutex::new(vec![1]);
/// solio_measure::lock(&numbers).push(2);
/// assert_eq!(*solio_measure::lock(&numbers), [1, 2]);
/// ```
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a mutex held, also after a panic of a thread that held it.
///
/// ```
/// use std::sync::Mutex;
/// assert_eq!(solio_measure::unlock(Mutex::new(vec![1])), [1]);
/// ```
pub fn unlock<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
