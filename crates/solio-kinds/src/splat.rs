//! `.splat` files, which have no mark: 32 bytes a splat, whose numbers tell.

/// Bytes of a splat.
const RECORD: usize = 32;
/// Fewer splats are taken for some only where the name says so.
const FEW: usize = 4;

/// Whether a binary file may be one of these splats. `is_named` is whether its name says so; `bytes` is
/// its length, where that is known.
pub(crate) fn is_splat(head: &[u8], bytes: Option<u64>, is_named: bool) -> bool {
    if bytes.is_some_and(|bytes| !bytes.is_multiple_of(RECORD as u64)) {
        return false;
    }
    let records = head.as_chunks::<RECORD>().0;
    is_named || records.len() >= FEW && records.iter().all(is_plausible)
}

/// Whether a place is a number, sizes are not below zero, and the quaternion has a length of 1.
fn is_plausible(record: &[u8; RECORD]) -> bool {
    let (floats, bytes) = record.split_at(24);
    let float = |floats: &[u8; 4]| f32::from_le_bytes(*floats);
    let floats: Vec<f32> = floats.as_chunks::<4>().0.iter().map(float).collect();
    let (places, sizes) = floats.split_at(3);
    let squares: f32 = bytes[4..].iter().map(|b| ((f32::from(*b) - 128.0) / 128.0).powi(2)).sum();
    // Zeros are plausible everywhere.
    places.iter().all(|v| v.abs() < 1e7)
        && sizes.iter().all(|v| (0.0..1e5).contains(v))
        && (0.95..1.05).contains(&squares)
}

#[cfg(test)]
mod tests {
    use crate::FileType;

    fn record(place: f32, turn: [u8; 4]) -> Vec<u8> {
        let mut bytes = [place, 0.0, 0.0, 0.1, 0.1, 0.1].map(f32::to_le_bytes).concat();
        bytes.extend_from_slice(&[1, 2, 3, 200]);
        bytes.extend_from_slice(&turn);
        bytes
    }

    #[test]
    fn numbers_or_the_name_tell_splats() {
        let four = record(2.5, [255, 128, 128, 128]).repeat(4);
        let of = |head: &[u8], bytes: usize, name: &str| {
            FileType::detect(head, Some(bytes as u64), name.as_ref()).name()
        };
        assert_eq!(of(&four, four.len(), ""), "splat");
        assert_eq!(of(&four, four.len() + 1, ""), "data");
        assert_eq!(of(&four[..64], 64, ""), "data");
        assert_eq!(of(&four[..64], 64, "a.splat"), "splat");
        // No direction, or no place.
        for broken in [record(2.5, [128; 4]), record(f32::NAN, [255, 128, 128, 128])] {
            let bytes = [&four[..], &broken].concat();
            assert_eq!(of(&bytes, bytes.len(), ""), "data");
        }
    }
}
