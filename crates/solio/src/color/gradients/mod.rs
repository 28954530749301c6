//! Gradients in files, and as pictures: strips of colour, ways of blending side by side.

mod compare;
mod file;
mod strip;

pub use compare::{Compared, ComparedRow, compare_gradient};
pub use file::{read_gradients, write_gradients};
pub use strip::{gradient_image, gradient_strips};
