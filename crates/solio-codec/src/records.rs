//! Records of one size: the same bytes of each, put together.
//!
//! Why it is fast: two to four words of each record are put together with whole registers, see
//! `words`; lists and their counts are looked at on the way. One value alone is moved as what it is.
//! What else a record gives is moved as 16 or 32 bytes, whatever its width; what is too much is
//! overwritten by the next one. Value by value, three values of records of 13 or 24 bytes took
//! 3.09 ns, and so moved 0.95 ns.

mod words;

pub use words::{CountByte, ListSummary};

use crate::wide::{Wide, wide};

/// Where the bytes of a record are.
///
/// ```
/// use solio_codec::records::{RecordField, pick};
/// // The fourth byte of each pixel.
/// let alpha = RecordField { stride: 4, offset: 3, width: 1 };
/// let mut to = [0; 3];
/// assert_eq!(pick(b"rgbArgbBrgbC", alpha, &mut to), 3);
/// assert_eq!(&to, b"ABC");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordField {
    /// Bytes of a record.
    pub stride: usize,
    /// The first byte that is wanted.
    pub offset: usize,
    /// How many are wanted; `offset + width` is at most `stride`.
    pub width: usize,
}

/// Puts the parts of as many records as it can, from the first on, to `to`; returns how many that
/// were: less than all near the end, and 0 where parts are longer than 32 bytes.
///
/// # Panics
/// When the part is not within the record, or `to` has not `width` bytes for each whole record.
///
/// ```
/// use solio_codec::records::{RecordField, pick};
/// // Three bytes of colour behind each of 40 vertices.
/// let records = b"xyz RGB ".repeat(40);
/// let (part, mut colors) = (RecordField { stride: 8, offset: 4, width: 3 }, vec![0; 40 * 3]);
/// let done = pick(&records, part, &mut colors);
/// // The last ones it may leave.
/// for (record, color) in records.chunks(8).zip(colors.chunks_mut(3)).skip(done) {
///     color.copy_from_slice(&record[4..7]);
/// }
/// assert!(done > 30 && colors == b"RGB".repeat(40));
/// ```
pub fn pick(records: &[u8], part: RecordField, to: &mut [u8]) -> usize {
    let RecordField { stride, offset, width } = part;
    assert!(width > 0 && offset + width <= stride, "a part of a record");
    assert!(to.len() >= records.len() / stride * width, "room for all parts");
    let done = words::pick(records, part, None, to).0;
    let (records, to) = (&records[done * stride..], &mut to[done * width..]);
    done + match width {
        1 => alone::<1>(records, part, to),
        2 => alone::<2>(records, part, to),
        4 => alone::<4>(records, part, to),
        8 => alone::<8>(records, part, to),
        3 | 5..=7 | 9..=16 => moved::<16>(records, part, to),
        17..=32 => moved::<32>(records, part, to),
        _ => 0,
    }
}

/// Puts the lists of all whole records to `to`, one behind the other, and tells what they are like;
/// what `to` holds is of use only where [`ListSummary::all_alike`]. Values are `u32` in this machine's
/// order; `part` is where the values of a record are that has `count`.
///
/// # Panics
/// When the values or the count are not within the record, the values are not whole words, or `to`
/// has not exactly so many.
///
/// ```
/// use solio_codec::records::{CountByte, ListSummary, RecordField, pick_lists};
/// // Triangles as PLY has them: a count of one byte, and three indices.
/// let corners = [[0u32, 1, 2], [2, 1, 3]].map(|face| face.map(u32::to_ne_bytes));
/// let records = corners.map(|face| [&[3], face.as_flattened()].concat()).concat();
/// let (part, count) = (RecordField { stride: 13, offset: 1, width: 12 }, CountByte { offset: 0, value: 3 });
/// let mut corners = [0; 6];
/// let lists = pick_lists(&records, part, count, &mut corners);
/// assert_eq!(lists, ListSummary { largest: 3, all_alike: true });
/// assert_eq!(corners, [0, 1, 2, 2, 1, 3]);
/// ```
pub fn pick_lists(
    records: &[u8],
    part: RecordField,
    count: CountByte,
    to: &mut [u32],
) -> ListSummary {
    let RecordField { stride, offset, width } = part;
    assert!(width > 0 && offset + width <= stride && count.offset < stride, "a part of a record");
    let rows = records.len() / stride;
    assert!(width % 4 == 0 && to.len() == rows * (width / 4), "room for all lists");
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(to);
    let (done, lists) = words::pick(records, part, Some(count), bytes);
    let (rest, words) = (&records[done * stride..], done * width / 4);
    let more = pick(rest, part, &mut bytes[done * width..]);
    let ends = bytes[(done + more) * width..].chunks_exact_mut(width);
    for (record, end) in rest.chunks_exact(stride).skip(more).zip(ends) {
        end.copy_from_slice(&record[offset..offset + width]);
    }
    let counts = rest.chunks_exact(stride).map(|record| record[count.offset]);
    lists.and(ListSummary {
        largest: largest(&to[words..]),
        // Without an early end, so that it becomes a vector loop.
        all_alike: counts.fold(0, |all, value| all | (value ^ count.value)) == 0,
    })
}

/// Moves the `N` bytes that are wanted of each record, as one value.
#[inline(always)]
fn alone<const N: usize>(records: &[u8], part: RecordField, to: &mut [u8]) -> usize {
    let (places, _) = to.as_chunks_mut::<N>();
    for (record, place) in records.chunks_exact(part.stride).zip(places) {
        if let Some(value) = record[part.offset..].first_chunk() {
            *place = *value;
        }
    }
    records.len() / part.stride
}

/// Moves `N` bytes of each record, of which `width` are wanted.
#[inline(always)]
fn moved<const N: usize>(
    records: &[u8],
    RecordField { stride, offset, width }: RecordField,
    to: &mut [u8],
) -> usize {
    let mut done = 0;
    let (mut from, mut to) = (records.get(offset..).unwrap_or_default(), to);
    while let (Some(bytes), Some(room)) = (from.first_chunk::<N>(), to.first_chunk_mut::<N>()) {
        *room = *bytes;
        done += 1;
        from = from.get(stride..).unwrap_or_default();
        to = &mut to[width..];
    }
    // A part record at the end is none.
    done.min(records.len() / stride)
}

/// The largest value; 0 of none.
///
/// ```
/// use solio_codec::records::largest;
/// // Does a face refer to a vertex that is not there?
/// let (corners, vertices) = ([0, 1, 2, 2, 1, 4], 4);
/// assert!(largest(&corners) >= vertices);
/// assert_eq!(largest(&[]), 0);
/// ```
pub fn largest(values: &[u32]) -> u32 {
    wide(LargestIndex(values))
}

struct LargestIndex<'a>(&'a [u32]);

impl Wide for LargestIndex<'_> {
    type Output = u32;
    #[inline(always)]
    fn run(self) -> u32 {
        self.0.iter().fold(0, |most, value| most.max(*value))
    }
}

/// Fills `to` with `step`, twice `step` and so on, from `first` on; sums are modulo 2^32.
///
/// ```
/// use solio_codec::records::count_up;
/// // The ends of the faces of a mesh of quads.
/// let mut ends = [0; 4];
/// count_up(4, 4, &mut ends);
/// assert_eq!(ends, [4, 8, 12, 16]);
/// ```
pub fn count_up(first: u32, step: u32, to: &mut [u32]) {
    wide(CountUp { first, step, to });
}

struct CountUp<'a> {
    first: u32,
    step: u32,
    to: &'a mut [u32],
}

impl Wide for CountUp<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (i, to) in self.to.iter_mut().enumerate() {
            *to = self.first.wrapping_add((i as u32).wrapping_mul(self.step));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_are_those_of_the_records(
            records in prop::collection::vec(any::<u8>(), 0..900),
            stride in 1usize..70,
            from in 0usize..70,
            more in 0usize..70,
        ) {
            let offset = from % stride;
            let width = 1 + more % (stride - offset);
            let part = RecordField { stride, offset, width };
            let parts = records.chunks_exact(stride).flat_map(|r| &r[offset..offset + width]);
            let expected: Vec<u8> = parts.copied().collect();
            let mut got = vec![0; expected.len()];
            let done = pick(&records, part, &mut got);
            prop_assert!(done * width <= expected.len());
            prop_assert_eq!(&got[..done * width], &expected[..done * width]);
        }

        #[test]
        fn lists_are_those_of_the_records(
            records in prop::collection::vec(prop_oneof![4 => Just(3u8), 1 => any::<u8>()], 0..900),
            stride in 5usize..40,
            from in 0usize..40,
            more in 1usize..10,
            at in 0usize..40,
            alike in any::<bool>(),
        ) {
            let width = 4 * (1 + (more - 1) % (stride / 4));
            let part = RecordField { stride, offset: from % (stride - width + 1), width };
            let count = CountByte { offset: at % stride, value: 3 };
            let mut records = records;
            if alike {
                records.chunks_exact_mut(stride).for_each(|record| record[count.offset] = 3);
            }
            let rows = || records.chunks_exact(stride);
            let words = rows().flat_map(|r| r[part.offset..part.offset + width].chunks_exact(4));
            let expected: Vec<u32> =
                words.map(|word| u32::from_ne_bytes(word.try_into().unwrap())).collect();
            let lists = ListSummary {
                largest: expected.iter().copied().max().unwrap_or(0),
                all_alike: rows().all(|record| record[count.offset] == 3),
            };
            let mut got = vec![0; expected.len()];
            prop_assert_eq!(pick_lists(&records, part, count, &mut got), lists);
            prop_assert_eq!(&got, &expected);
            #[cfg(target_arch = "x86_64")]
            if solio_base::cpu::available().contains(&solio_base::cpu::Tier::Avx2) {
                let mut got = vec![0u8; 4 * expected.len()];
                // SAFETY: the machine has AVX2.
                let (done, first) = unsafe { words::pick_avx2(&records, part, Some(count), &mut got) };
                let words = done * width / 4;
                prop_assert!(bytemuck::pod_collect_to_vec::<u8, u32>(&got)[..words] == expected[..words]);
                prop_assert_eq!(first, ListSummary {
                    largest: expected[..words].iter().copied().max().unwrap_or(0),
                    all_alike: rows().take(done).all(|record| record[count.offset] == 3),
                });
                if matches!(width, 8 | 12 | 16) {
                    prop_assert!(done + 8 > rows().len());
                }
            }
        }

        #[test]
        fn the_largest_is_none_smaller(values in prop::collection::vec(any::<u32>(), 0..100)) {
            prop_assert_eq!(largest(&values), values.iter().copied().max().unwrap_or(0));
        }
    }

    #[test]
    fn parts_of_every_stride_are_those_of_the_records() {
        let bytes: Vec<u8> =
            (0..40 * 45).map(|i: u32| (i.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
        for stride in 4..40usize {
            for width in [1, 2, 4, 8, 12, 16, 20] {
                for offset in 0..(stride + 1).saturating_sub(width) {
                    for rows in [7, 8, 9, 45] {
                        let (part, records) =
                            (RecordField { stride, offset, width }, &bytes[..rows * stride]);
                        let parts =
                            records.chunks_exact(stride).map(|r| &r[offset..offset + width]);
                        let expected: Vec<u8> = parts.flatten().copied().collect();
                        let mut got = vec![0; expected.len()];
                        let done = pick(records, part, &mut got) * width;
                        assert_eq!(got[..done], expected[..done], "{part:?}, {rows} rows");
                    }
                }
            }
        }
    }

    #[test]
    fn most_records_are_done() {
        let part = RecordField { stride: 13, offset: 1, width: 12 };
        assert!(pick(&[7; 13 * 100], part, &mut [0; 1200]) > 95);
    }

    #[test]
    fn counts_go_up() {
        let mut to = [0; 5];
        count_up(3, 4, &mut to);
        assert_eq!(to, [3, 7, 11, 15, 19]);
        count_up(u32::MAX, 1, &mut to[..2]);
        assert_eq!(to[..2], [u32::MAX, 0]);
    }
}
