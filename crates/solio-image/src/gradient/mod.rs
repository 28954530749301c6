//! Gradients as pictures: strips of colour, ways of blending side by side.

mod compare;
mod strip;

pub use compare::{Compared, ComparedRow, compare_gradient};
pub use strip::{gradient_image, gradient_strips};
