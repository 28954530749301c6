//! The protocol: lines, numbers, echoes, bad input.

use super::*;
