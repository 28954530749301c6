//! `solio study`: measurements of one's own commands and files, each as a table, a page and JSON.

mod bandwidth;
mod bars;
mod boxes;
mod compare;
mod latency;
mod modes;
#[cfg(feature = "lab")]
mod numbers;
mod order;

use crate::Outcome;
use crate::args::{OtherStudy, StudyArgs};
use solio::Result;

/// Does the study that was asked for.
pub(crate) fn run(args: &StudyArgs) -> Result<Outcome> {
    match &args.other {
        None => bandwidth::run(args),
        #[cfg(feature = "lab")]
        Some(OtherStudy::Numbers(args)) => numbers::run(args),
        Some(OtherStudy::Order(args)) => order::run(args),
        Some(OtherStudy::Latency(args)) => latency::run(args),
        Some(OtherStudy::Boxes(args)) => boxes::run(args),
        Some(OtherStudy::Modes(args)) => modes::run(args),
        Some(OtherStudy::Compare(args)) => compare::run(args),
    }
}
