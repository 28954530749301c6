//! From unpacked chunks into the rows of planes, or of pixels with several channels side by side.

use crate::block::{Block, Channel, PixelType};
use crate::codec::{UnpackedRows, room};
use crate::header::Box2i;
use crate::header::shape::{columns, rows};
use solio_codec::samples;

/// Where samples go: a channel alone, or several side by side in each pixel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SampleTarget {
    /// Which channels of the shape; others are filled in. Those beside others are not subsampled.
    pub(crate) channels: Vec<Option<usize>>,
    /// Samples from a pixel to the next: as many as channels, or more, and those between are left alone.
    pub(crate) step: usize,
    /// How samples are stored there.
    pub(crate) pixel_type: PixelType,
    /// The value, as stored there, that is filled in; 0 without one.
    pub(crate) fill: [u8; 4],
    /// Sampling rates of the channel that is alone.
    pub(crate) sampling: [i32; 2],
}

impl SampleTarget {
    /// A plane for each wanted channel, in its own type.
    pub(crate) fn planes(channels: &[Channel], wanted: &[bool]) -> Vec<SampleTarget> {
        let wanted = channels.iter().enumerate().zip(wanted).filter(|(_, wanted)| **wanted);
        let plane = |(index, channel): (usize, &Channel)| SampleTarget {
            channels: vec![Some(index)],
            step: 1,
            pixel_type: channel.pixel_type,
            fill: [0; 4],
            sampling: [channel.x_sampling, channel.y_sampling],
        };
        wanted.map(|(channel, _)| plane(channel)).collect()
    }

    /// Bytes of its rows of a block, with those between the last pixel and the next.
    pub(crate) fn row_bytes(&self, block: &Block<'_>) -> usize {
        let samples = block.samples_at(self.sampling[0]);
        samples * self.step * self.pixel_type.bytes()
    }

    /// Bytes between a pixel and the next.
    pub(crate) fn gap_bytes(&self) -> usize {
        (self.step - self.channels.len()) * self.pixel_type.bytes()
    }

    /// Zeros for all samples of a row.
    pub(crate) fn clear(&self, row: &mut [u8]) {
        let used = row.len().min(self.channels.len() * self.pixel_type.bytes());
        let pixels = row.chunks_mut((self.step * self.pixel_type.bytes()).max(1));
        pixels.for_each(|pixel| {
            let used = used.min(pixel.len());
            pixel[..used].fill(0);
        });
    }

    /// Whether it has the row `y`.
    pub(crate) fn has_row(&self, y: i32) -> bool {
        self.sampling[1] == 1 || y.rem_euclid(self.sampling[1]) == 0
    }

    /// Whether `targets` take rows as they are, in the order in which a chunk has them.
    pub(crate) fn are_in_order(targets: &[SampleTarget], channels: &[Channel]) -> bool {
        let plain = targets.iter().map(|target| target.plain(channels));
        plain.clone().all(|index| index.is_some()) && plain.is_sorted_by(|a, b| a < b)
    }

    /// The channel whose rows it takes as they are.
    fn plain(&self, channels: &[Channel]) -> Option<usize> {
        match self.channels[..] {
            [Some(index)] if self.step == 1 && channels[index].pixel_type == self.pixel_type => {
                Some(index)
            }
            _ => None,
        }
    }
}

/// Where a channel's row lies in a row of a chunk.
#[derive(Clone, Copy)]
struct ChannelPlace {
    /// The first byte that is wanted, in a row of all channels.
    start: usize,
    /// Bytes of its row, and of those that are not wanted at its start.
    row: usize,
    skip: usize,
    pixel_type: PixelType,
}

/// What a thread keeps from row to row.
#[derive(Default)]
pub(crate) struct RowStore {
    /// Of each channel.
    places: Vec<ChannelPlace>,
    /// A row, unpacked.
    line: Vec<u8>,
    /// Rows of channels in the type of the target.
    converted: Vec<u8>,
}

impl RowStore {
    /// Stores the samples of a chunk that lie in `region` in the rows of its targets: row by row,
    /// in each target by target.
    pub(crate) fn chunk(
        &mut self,
        block: &Block<'_>,
        region: &Box2i,
        targets: &[SampleTarget],
        mut source: UnpackedRows<'_>,
        rows_of_targets: &mut [&mut [u8]],
    ) {
        let left = block.x.start..columns(region).start.max(block.x.start);
        let left = Block { x: left, ..block.clone() };
        self.places.clear();
        self.places.extend(block.channels.iter().map(|channel| {
            let bytes = channel.pixel_type.bytes();
            let (row, skip) = (block.row_samples(channel), left.row_samples(channel));
            ChannelPlace {
                start: 0,
                row: row * bytes,
                skip: skip * bytes,
                pixel_type: channel.pixel_type,
            }
        }));
        let in_order = SampleTarget::are_in_order(targets, block.channels);
        let mut rows_of_targets = rows_of_targets.iter_mut();
        for y in block.y.clone() {
            if !rows(region).contains(&y) {
                self.skip(block, y, &mut source);
            } else if in_order {
                self.planes(block, y, targets, &mut source, &mut rows_of_targets);
            } else {
                self.mixed(block, y, targets, &mut source, &mut rows_of_targets);
            }
        }
    }

    fn skip(&self, block: &Block<'_>, y: i32, source: &mut UnpackedRows<'_>) {
        for (index, (place, channel)) in self.places.iter().zip(block.channels).enumerate() {
            if block.has_row(channel, y) {
                source.skip(place.row, index, channel);
            }
        }
    }

    /// Row `y` to targets that have one channel each, as it is, in the order of the chunk: straight
    /// to where it belongs.
    fn planes<'r, 'm: 'r>(
        &mut self,
        block: &Block<'_>,
        y: i32,
        targets: &[SampleTarget],
        source: &mut UnpackedRows<'_>,
        rows_of_targets: &mut impl Iterator<Item = &'r mut &'m mut [u8]>,
    ) {
        let mut wanted = targets.iter().map(|target| target.channels[0]).peekable();
        for (index, (place, channel)) in self.places.iter().zip(block.channels).enumerate() {
            let is_wanted = wanted.next_if_eq(&Some(index)).is_some();
            if !block.has_row(channel, y) {
                continue;
            }
            if !is_wanted {
                source.skip(place.row, index, channel);
                continue;
            }
            let to = rows_of_targets.next().expect("a row was dealt out for it");
            if to.len() == place.row {
                source.fill(to, index, channel);
                continue;
            }
            let row = match source.plain(place.row) {
                Some(row) => row,
                None => {
                    let row = room(&mut self.line, place.row);
                    source.fill(row, index, channel);
                    row
                }
            };
            to.copy_from_slice(&row[place.skip..][..to.len()]);
        }
    }

    /// Row `y` to any targets.
    fn mixed<'r, 'm: 'r>(
        &mut self,
        block: &Block<'_>,
        y: i32,
        targets: &[SampleTarget],
        source: &mut UnpackedRows<'_>,
        rows_of_targets: &mut impl Iterator<Item = &'r mut &'m mut [u8]>,
    ) {
        let mut all = 0;
        for (place, channel) in self.places.iter_mut().zip(block.channels) {
            if block.has_row(channel, y) {
                place.start = all + place.skip;
                all += place.row;
            }
        }
        let mut spare = std::mem::take(&mut self.line);
        let line = match source.plain(all) {
            Some(line) => line,
            None => {
                let line = room(&mut spare, all);
                let mut rest = &mut line[..];
                for (index, (place, channel)) in self.places.iter().zip(block.channels).enumerate()
                {
                    if !block.has_row(channel, y) {
                        continue;
                    }
                    let (row, more) = std::mem::take(&mut rest).split_at_mut(place.row);
                    rest = more;
                    if targets.iter().any(|target| target.channels.contains(&Some(index))) {
                        source.fill(row, index, channel);
                    } else {
                        source.skip(place.row, index, channel);
                    }
                }
                line
            }
        };
        for target in targets.iter().filter(|target| target.has_row(y)) {
            let to = rows_of_targets.next().expect("a row was dealt out for it");
            self.row(target, block.channels, line, to);
        }
        self.line = spare;
    }

    /// Stores a row of a target; `line` has all channels of the row.
    fn row(&mut self, target: &SampleTarget, channels: &[Channel], line: &[u8], to: &mut [u8]) {
        if let Some(index) = target.plain(channels) {
            to.copy_from_slice(&line[self.places[index].start..][..to.len()]);
            return;
        }
        let bytes = target.pixel_type.bytes();
        let step = target.step * bytes;
        let row = (to.len() + target.gap_bytes()) / step * bytes;
        let is_dense = target.gap_bytes() == 0;
        if let ([Some(index)], true) = (&target.channels[..], is_dense) {
            let index = *index;
            let place = self.places[index];
            convert(place, target.pixel_type, line, to);
            return;
        }
        let spare = room(&mut self.converted, row * target.channels.len());
        let mut spare = spare.chunks_exact_mut(row.max(1));
        let mut rows: Vec<&[u8]> = Vec::with_capacity(target.channels.len());
        for channel in &target.channels {
            let place = channel.map(|index| self.places[index]);
            let same = place.filter(|place| place.pixel_type == target.pixel_type);
            if let Some(place) = same {
                rows.push(&line[place.start..][..row]);
                continue;
            }
            let Some(spare) = spare.next() else { return };
            match place {
                Some(place) => convert(place, target.pixel_type, line, spare),
                None => {
                    let samples = spare.chunks_exact_mut(bytes);
                    samples.for_each(|sample| sample.copy_from_slice(&target.fill[..bytes]));
                }
            }
            rows.push(spare);
        }
        match (target.pixel_type, is_dense) {
            (PixelType::Half, true) => interleave::<2>(&rows, to),
            (PixelType::Uint | PixelType::Float, true) => interleave::<4>(&rows, to),
            (PixelType::Half, false) => strew::<2>(&rows, target.step, to),
            (PixelType::Uint | PixelType::Float, false) => strew::<4>(&rows, target.step, to),
        }
    }
}

fn interleave<const N: usize>(rows: &[&[u8]], to: &mut [u8]) {
    let rows: Vec<&[[u8; N]]> = rows.iter().map(|row| row.as_chunks().0).collect();
    samples::interleave(&rows, to.as_chunks_mut().0);
}

/// Side by side in each pixel, `step` samples after the one before.
fn strew<const N: usize>(rows: &[&[u8]], step: usize, to: &mut [u8]) {
    let to = to.as_chunks_mut::<N>().0;
    for (slot, row) in rows.iter().enumerate() {
        let places = to.get_mut(slot..).unwrap_or_default().iter_mut().step_by(step);
        places.zip(row.as_chunks().0).for_each(|(place, sample)| *place = *sample);
    }
}

/// Fills `to` with samples of a channel of `line`, as `pixel_type`.
fn convert(place: ChannelPlace, pixel_type: PixelType, line: &[u8], to: &mut [u8]) {
    let count = to.len() / pixel_type.bytes();
    let from = &line[place.start..][..count * place.pixel_type.bytes()];
    match place.pixel_type.conversion(pixel_type) {
        Some(conversion) => conversion.apply(from, to),
        None => to.copy_from_slice(from),
    }
}

/// `value` as a sample, and zeros behind it.
pub(crate) fn sample_bytes(value: f32, pixel_type: PixelType) -> [u8; 4] {
    let mut sample = [0; 4];
    let to = &mut sample[..pixel_type.bytes()];
    match PixelType::Float.conversion(pixel_type) {
        Some(conversion) => conversion.apply(&value.to_le_bytes(), to),
        None => to.copy_from_slice(&value.to_le_bytes()),
    }
    sample
}
