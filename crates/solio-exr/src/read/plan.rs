//! Which pixels of which part are wanted, and the header of what is left.

use super::options::{Levels, ReadOptions};
use super::store::SampleTarget;
use crate::header::shape::Shape;
use crate::header::{self, Box2i, LevelMode, Value};
use crate::table::OpenExr;
use solio_base::{Error, Result};

/// What is wanted of a part.
pub(crate) struct PartPlan {
    /// The number of the part in the file.
    pub(crate) part: usize,
    /// The header of what is left.
    pub(crate) header: header::Part,
    /// Which of the channels of its shape are wanted.
    pub(crate) wanted: Vec<bool>,
    /// Where the samples of flat parts go: a plane a wanted channel.
    pub(crate) targets: Vec<SampleTarget>,
    /// The levels, and the pixels of each.
    pub(crate) levels: Vec<(usize, Box2i)>,
}

/// What `options` want of all parts.
pub(crate) fn plan(opened: &OpenExr<'_>, options: &ReadOptions) -> Result<Vec<PartPlan>> {
    let there = opened.shapes.len();
    let all: Vec<usize> = (0..there).collect();
    let parts = options.parts.as_ref().unwrap_or(&all);
    if let Some(missing) = parts.iter().find(|part| **part >= there) {
        let message = format!("there is no part {missing}; the file has {there}, from 0 on");
        return Err(Error::argument(message));
    }
    if let Some(names) = &options.channels {
        let known = |name: &String| {
            let mut channels = parts.iter().flat_map(|part| &opened.shapes[*part].channels);
            channels.any(|channel| channel.name == *name)
        };
        if let Some(unknown) = names.iter().find(|name| !known(name)) {
            return Err(Error::argument(format!("there is no channel {unknown:?}")));
        }
    }
    // What is asked of pixels is asked of those that are wanted.
    let some = |part: &&usize| {
        opened.shapes[**part].channels.iter().any(|channel| is_wanted(&channel.name, options))
    };
    parts.iter().filter(some).map(|part| plan_part(opened, *part, options)).collect()
}

fn is_wanted(channel: &str, options: &ReadOptions) -> bool {
    options.channels.as_ref().is_none_or(|names| names.iter().any(|name| name == channel))
}

fn plan_part(opened: &OpenExr<'_>, part: usize, options: &ReadOptions) -> Result<PartPlan> {
    let shape = &opened.shapes[part];
    let mut header = opened.header.parts[part].clone();
    let wanted: Vec<bool> = shape.channels.iter().map(|c| is_wanted(&c.name, options)).collect();
    if wanted.contains(&false)
        && let Some(Value::Channels(channels)) = header.get("channels")
    {
        let left = channels.iter().filter(|channel| is_wanted(&channel.name, options));
        let left = left.cloned().collect();
        header.set("channels", Value::Channels(left));
    }
    let chosen: Vec<usize> = match options.levels {
        Levels::Full => vec![0],
        Levels::All => (0..shape.levels.len()).collect(),
        Levels::One(x, y) => {
            let found = shape.levels.iter().position(|level| (level.x, level.y) == (x, y));
            let missing = || Error::argument(format!("part {part} has no level {x}, {y}"));
            vec![found.ok_or_else(missing)?]
        }
    };
    if options.window.is_some() && chosen.len() > 1 {
        let message = "a window is one of a level; several levels were asked for";
        return Err(Error::argument(message));
    }
    let mut levels = Vec::new();
    for index in chosen {
        let whole = shape.levels[index].window;
        let window = match &options.window {
            None => whole,
            Some(window) => whole
                .intersection(window)
                .map(|w| whole_samples(w, shape, &wanted))
                .ok_or_else(|| {
                    let message = format!(
                        "the window {window} lies outside of part {part}, which has {whole}"
                    );
                    Error::argument(message)
                })?,
        };
        levels.push((index, window));
    }
    if let [(index, window)] = levels[..] {
        if window != shape.data_window {
            header.set("dataWindow", Value::Box2i(window));
        }
        if let Some(Value::Tiles(tiles)) = header.get("tiles")
            && tiles.levels != LevelMode::One
            && (shape.levels.len() > 1 || index > 0)
        {
            let tiles = header::Tiles { levels: LevelMode::One, ..*tiles };
            header.set("tiles", Value::Tiles(tiles));
        }
    }
    let targets = SampleTarget::planes(&shape.channels, &wanted);
    Ok(PartPlan { part, header, wanted, targets, levels })
}

/// `window`, grown to whole samples of the subsampled channels. It stays within the data window,
/// which has only whole ones.
fn whole_samples(mut window: Box2i, shape: &Shape, wanted: &[bool]) -> Box2i {
    for (channel, _) in shape.channels.iter().zip(wanted).filter(|(_, wanted)| **wanted) {
        for (axis, rate) in [channel.x_sampling, channel.y_sampling].into_iter().enumerate() {
            let start = i64::from(window.min[axis]).div_euclid(i64::from(rate)) * i64::from(rate);
            let end = (i64::from(window.max[axis]) + 1).div_euclid(i64::from(rate));
            let whole = (i64::from(window.max[axis]) + 1).rem_euclid(i64::from(rate)) == 0;
            window.min[axis] = start as i32;
            window.max[axis] = ((end + i64::from(!whole)) * i64::from(rate) - 1) as i32;
        }
    }
    window
}
