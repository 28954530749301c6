//! What components are computed in: whole numbers without loss, floats with.

use super::block_decode::Word;
use super::curve::PointCurve;
use super::decode::{turn, turn_wide};
use super::geometry::Band;
use super::join::{JoinedRows, LevelBands};
use super::markers::{ComponentCoding, SampleCurve};
use super::number::Number;
use super::split::{SplitBands, SplitRows};

/// Puts a level together, row by row.
pub(super) trait JoinRows<N>: Default {
    /// Before the first row of a level of this size.
    fn start(&mut self, width: usize, height: usize);
    /// The last row of the bands that row `y` needs, if it is there.
    fn wanted(y: usize) -> usize;
    /// Row `y`; they come in order.
    fn row(&mut self, bands: &LevelBands<'_, N>, y: usize) -> &[N];
}

/// Takes a level apart, row by row.
pub(super) trait SplitLevel<N>: Default {
    /// Before the first row of a level of this size.
    fn start(&mut self, width: usize, height: usize);
    /// Takes row `y`; they come in order.
    fn push(&mut self, bands: &mut SplitBands<'_, N>, y: usize, row: &[N]);
    /// After the last of `height` rows.
    fn finish(&mut self, bands: &mut SplitBands<'_, N>, height: usize);
}

/// A sample or coefficient.
pub(super) trait Coefficient: Copy + Default + 'static {
    /// What code blocks have for it.
    type Coded: Word;
    /// How it is made of that.
    type Scale: Copy;
    type Joined: JoinRows<Self>;
    type Split: SplitLevel<Self>;
    /// For a block of a band, of which `shift` bit planes were left out.
    fn scale(coding: &ComponentCoding, band: &Band, shift: u32) -> Self::Scale;
    /// For what is written.
    fn coded_scale(coding: &ComponentCoding, band: &Band) -> Self::Scale;
    fn decoded(coded: Self::Coded, scale: Self::Scale) -> Self;
    fn coded(self, scale: Self::Scale) -> Self::Coded;
    /// A luma and two differences to red, green and blue.
    fn join_color(rows: [&[Self]; 3], color: &mut [Vec<Self>; 3]);
    /// The other way round.
    fn split_color(color: &mut [Vec<Self>; 3]);
    /// A row of a component as samples.
    fn store(row: &[Self], coding: &ComponentCoding, curve: &PointCurve, out: &mut [u8]);
    /// The other way round.
    fn load(raw: &[u8], coding: &ComponentCoding, curve: &PointCurve, row: &mut [Self]);
}

impl<N: Number> Coefficient for N {
    type Coded = <N as Number>::Coded;
    type Scale = u32;
    type Joined = JoinedRows<N>;
    type Split = SplitRows<N>;

    fn scale(_: &ComponentCoding, _: &Band, shift: u32) -> u32 {
        shift
    }

    fn coded_scale(_: &ComponentCoding, _: &Band) -> u32 {
        0
    }

    #[inline(always)]
    fn decoded(coded: Self::Coded, shift: u32) -> N {
        N::of_coded(coded, shift)
    }

    #[inline(always)]
    fn coded(self, _: u32) -> Self::Coded {
        self.to_coded()
    }

    #[inline(always)]
    fn join_color([luma, blue, red]: [&[N]; 3], color: &mut [Vec<N>; 3]) {
        let [r, g, b] = color.each_mut().map(|row| row.iter_mut());
        let to = r.zip(g).zip(b);
        for ((((r, g), b), luma), (blue, red)) in to.zip(luma).zip(blue.iter().zip(red)) {
            let green = luma.minus(blue.plus(*red).shifted::<2>());
            (*r, *g, *b) = (red.plus(green), green, blue.plus(green));
        }
    }

    #[inline(always)]
    fn split_color(color: &mut [Vec<N>; 3]) {
        let [r, g, b] = color.each_mut().map(|row| row.iter_mut());
        for ((r, g), b) in r.zip(g).zip(b) {
            let luma = r.plus(*g).plus(g.plus(*b)).shifted::<2>();
            (*r, *g, *b) = (luma, b.minus(*g), r.minus(*g));
        }
    }

    #[inline(always)]
    fn store(row: &[N], coding: &ComponentCoding, _: &PointCurve, out: &mut [u8]) {
        let turned = coding.curve == SampleCurve::Turned;
        if coding.depth == 16 {
            for (to, number) in out.as_chunks_mut().0.iter_mut().zip(row) {
                let sample = number.sample(true) as u16;
                let turn = if turned { turn(sample as i16) as u16 } else { 0 };
                *to = (sample ^ turn).to_le_bytes();
            }
        } else {
            for (to, number) in out.as_chunks_mut().0.iter_mut().zip(row) {
                let sample = number.sample(coding.signed);
                let turn = if turned { turn_wide(sample as i32) as u32 } else { 0 };
                *to = (sample ^ turn).to_le_bytes();
            }
        }
    }

    #[inline(always)]
    fn load(raw: &[u8], coding: &ComponentCoding, _: &PointCurve, row: &mut [N]) {
        let turned = coding.curve == SampleCurve::Turned;
        if coding.depth == 16 {
            for (to, sample) in row.iter_mut().zip(raw.as_chunks().0) {
                let sample = i16::from_le_bytes(*sample);
                let turn = if turned { turn(sample) } else { 0 };
                *to = N::of(i32::from(sample ^ turn) as u32, true);
            }
        } else {
            for (to, sample) in row.iter_mut().zip(raw.as_chunks().0) {
                let sample = i32::from_le_bytes(*sample);
                let turn = if turned { turn_wide(sample) } else { 0 };
                *to = N::of((sample ^ turn) as u32, coding.signed);
            }
        }
    }
}
