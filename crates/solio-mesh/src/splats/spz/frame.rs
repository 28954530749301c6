//! The axes of a file, and how splats turn into those of a PLY: right, down and to the front.

use crate::splats::columns::SplatColumns;

/// Axes that point the other way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::splats) struct FrameFlips(pub(in crate::splats) [bool; 3]);

/// The usual axes of a file: right, up, back.
pub(in crate::splats) const USUAL: FrameFlips = FrameFlips([false, true, true]);

/// What each view-dependent part is odd in: `x`, `y`, `z` as bits.
const ODD: [u8; 24] = [
    0b010, 0b100, 0b001, // y z x
    0b011, 0b110, 0, 0b101, 0, // xy yz - xz -
    0b010, 0b111, 0b010, 0b100, 0b001, 0b100, 0b001, // y xyz y z x z x
    0b011, 0b110, 0b011, 0b110, 0, 0b101, 0, 0b101, 0, // xy yz xy yz - xz - xz -
];

impl FrameFlips {
    /// The flips of the axes that an extension numbers: left or right, down or up, back or front, from
    /// 1 on; `None` of those whose `y` and `z` are exchanged.
    pub(super) fn of_number(number: u32) -> Option<FrameFlips> {
        match number {
            // Unspecified.
            0 => Some(USUAL),
            1..=8 => {
                let bits = number - 1;
                let has = |bit: u32| bits >> bit & 1 == 1;
                Some(FrameFlips([!has(0), has(1), !has(2)]))
            }
            _ => None,
        }
    }

    /// Whether a harmonic changes its sign.
    pub(in crate::splats) fn negates(self, harmonic: usize) -> bool {
        let flipped = (0..3).filter(|axis| self.0[*axis] && ODD[harmonic] >> axis & 1 == 1);
        flipped.count() % 2 == 1
    }

    /// Factors of places, and of the quaternion's parts behind `w`.
    pub(in crate::splats) fn signs(self) -> ([f32; 3], [f32; 3]) {
        let [x, y, z] = self.0.map(|flipped| if flipped { -1.0 } else { 1.0 });
        ([x, y, z], [y * z, x * z, x * y])
    }

    /// Turns the splats: from a file's axes to those of a PLY, or back.
    pub(in crate::splats) fn turn(self, columns: &mut SplatColumns<'_>) {
        let (places, turns) = self.signs();
        for position in columns.positions.to_mut() {
            (0..3).for_each(|k| position[k] *= places[k]);
        }
        for (k, sign) in turns.into_iter().enumerate().filter(|(_, sign)| *sign < 0.0) {
            columns.turns[1 + k].to_mut().iter_mut().for_each(|v| *v *= sign);
        }
        let of_channel = columns.rest.len() / 3;
        for (k, column) in columns.rest.iter_mut().enumerate() {
            if self.negates(k % of_channel) {
                column.to_mut().iter_mut().for_each(|v| *v = -*v);
            }
        }
    }
}
