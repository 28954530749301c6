//! The graphics state: what holds for the directives that follow.

use super::transform::{columns, look_at, rotate};
use super::{ColorSpace, Motion, NONE};
use crate::pbrt::Directive;
use glam::{DMat4, DVec3};

/// Which ends of a motion transformations change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    All,
    Start,
    End,
}

/// The kinds that `Attribute` can add parameters to.
pub(super) const KINDS: [&[u8]; 5] = [b"shape", b"light", b"material", b"medium", b"texture"];

#[derive(Clone)]
pub(super) struct GraphicsState {
    pub(super) start: DMat4,
    /// At the second time, where that is another one. Most states are kept and given back without.
    pub(super) end: Option<Box<DMat4>>,
    pub(super) ends: Ends,
    /// Where `start` and `end` are in [`super::Scene::matrices`], once they are there.
    pub(super) matrices: Option<[u32; 2]>,
    pub(super) reverse_orientation: bool,
    pub(super) color_space: ColorSpace,
    pub(super) material: u32,
    pub(super) area_light: u32,
    pub(super) inside: u32,
    pub(super) outside: u32,
    /// What `Attribute` said, by kind.
    pub(super) attributes: [u32; KINDS.len()],
    /// How many names were hidden where the block of this state began.
    pub(super) hidden_names: usize,
}

impl Default for GraphicsState {
    fn default() -> GraphicsState {
        GraphicsState {
            start: DMat4::IDENTITY,
            end: None,
            ends: Ends::All,
            matrices: Some([0, 0]),
            reverse_orientation: false,
            color_space: ColorSpace::default(),
            material: NONE,
            area_light: NONE,
            inside: NONE,
            outside: NONE,
            attributes: [NONE; KINDS.len()],
            hidden_names: 0,
        }
    }
}

impl GraphicsState {
    /// The transformation at both times.
    pub(super) fn motion(&self, times: [f32; 2]) -> Motion {
        Motion { start: self.start, end: self.both()[1], times }
    }

    pub(super) fn both(&self) -> [DMat4; 2] {
        [self.start, self.end.as_deref().copied().unwrap_or(self.start)]
    }

    /// Takes a transformation as it was.
    pub(super) fn set_both(&mut self, [start, end]: [DMat4; 2]) {
        self.start = start;
        self.end = (start != end).then(|| Box::new(end));
        self.matrices = None;
    }

    fn change(&mut self, change: impl Fn(DMat4) -> DMat4) {
        self.matrices = None;
        if self.ends == Ends::All && self.end.is_none() {
            self.start = change(self.start);
            return;
        }
        let [mut start, mut end] = self.both();
        if self.ends != Ends::End {
            start = change(start);
        }
        if self.ends != Ends::Start {
            end = change(end);
        }
        self.set_both([start, end]);
    }

    /// Follows a transformation with these numbers; says what is wrong with them.
    pub(super) fn transform(
        &mut self,
        directive: Directive,
        v: &[f32],
    ) -> Result<(), &'static str> {
        match (directive, v) {
            (Directive::Identity, _) => self.change(|_| DMat4::IDENTITY),
            (Directive::Translate, &[x, y, z]) => {
                let offset = DVec3::new(x.into(), y.into(), z.into());
                self.change(|m| m * DMat4::from_translation(offset));
            }
            (Directive::Scale, &[x, y, z]) => {
                let factors = DVec3::new(x.into(), y.into(), z.into());
                self.change(|m| m * DMat4::from_scale(factors));
            }
            (Directive::Rotate, &[degrees, x, y, z]) => {
                let turn =
                    rotate([degrees, x, y, z]).ok_or("the axis of a rotation has no length")?;
                self.change(|m| m * turn);
            }
            (Directive::LookAt, v) => {
                let v = v.try_into().map_err(|_| "LookAt takes 9 numbers")?;
                let look = look_at(v).ok_or(
                    "LookAt gives no direction: eye and point are the same, or up lies along the view",
                )?;
                self.change(|m| m * look);
            }
            (Directive::Transform | Directive::ConcatTransform, v) => {
                let v: &[f32; 16] = v.try_into().map_err(|_| "a matrix has 16 numbers")?;
                let matrix = columns(v);
                if directive == Directive::Transform {
                    self.change(|_| matrix);
                } else {
                    self.change(|m| if m == DMat4::IDENTITY { matrix } else { m * matrix });
                }
            }
            _ => return Err("this is no transformation"),
        }
        Ok(())
    }
}
