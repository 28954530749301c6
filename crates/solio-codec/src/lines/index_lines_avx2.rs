//! Lines of indices that are known, by AVX2. See `known.rs` and `index_lines.rs`.

use super::index_lines::{EightNumbers, IndexForm, IndexLine};
use super::known::{BLOCK, KnownLines};
use super::known_avx2::LineMarks;
use super::{FaceArrays, NONE};
use std::arch::x86_64::*;

/// Lines for which room is made at once.
const LINES: usize = 64;

/// The lines that are known of faces and lists.
#[derive(Default)]
pub(super) struct KnownIndexLines {
    short: KnownLines<IndexLine, 1, 64>,
    /// Faces with vertices, UVs and normals.
    long: KnownLines<IndexLine, 2, 64>,
}

impl KnownIndexLines {
    /// Takes at most `most` lines from `text[at..end]` as long as they are known, or become so; returns
    /// how many, and where it stopped. `out` has the values and counts of lists as vertices and ends.
    ///
    /// # Safety
    /// 64 bytes follow `end`.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn take(
        &mut self,
        text: &[u8],
        mut at: usize,
        end: usize,
        is_list: bool,
        most: usize,
        out: &mut FaceArrays<'_>,
    ) -> (usize, usize) {
        let mut taken = 0;
        loop {
            let before = taken;
            // SAFETY: passed on.
            let (lines, next) =
                unsafe { self.short.take((text, at, end, most - taken), is_list, out) };
            (taken, at) = (taken + lines, next);
            if !is_list {
                // SAFETY: passed on.
                let (lines, next) =
                    unsafe { self.long.take((text, at, end, most - taken), false, out) };
                (taken, at) = (taken + lines, next);
            }
            if is_list || taken == before {
                return (taken, at);
            }
        }
    }
}

impl<const BLOCKS: usize> KnownLines<IndexLine, BLOCKS, 64> {
    /// Takes lines that these blocks hold.
    ///
    /// # Safety
    /// 64 bytes follow `end`.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn take(
        &mut self,
        (text, mut at, end, most): (&[u8], usize, usize, usize),
        is_list: bool,
        out: &mut FaceArrays<'_>,
    ) -> (usize, usize) {
        let (mut taken, mut learned) = (0, 0);
        while taken < most {
            let Some(blocks) = blocks::<BLOCKS>(text, at, end, is_list) else { break };
            let line = LineMarks::new(blocks);
            let known = self.entry(&line.places);
            let mut form = known.numbers.form;
            if !line.is(known) || is_list != (form == IndexForm::List) {
                // Where few lines look like others, that is not worth it.
                learned += 1;
                let numbers = IndexLine::new(blocks.as_flattened(), is_list);
                let is_taken = |line: &IndexLine| BLOCKS == 1 || line.form == IndexForm::All;
                let Some(numbers) =
                    numbers.filter(|line| is_taken(line) && learned < 4 + taken / 16)
                else {
                    break;
                };
                form = numbers.form;
                self.learn(line.known(numbers));
            }
            let (before, uvs, normals) = (out.vertices.len(), out.uvs.len(), out.normals.len());
            if matches!(form, IndexForm::VerticesUvs | IndexForm::All) {
                out.uvs.resize(before, NONE);
            }
            if matches!(form, IndexForm::VerticesNormals | IndexForm::All) {
                out.normals.resize(before, NONE);
            }
            let room = (text, at, end, most - taken);
            // SAFETY: passed on.
            let (lines, next) = unsafe {
                match form {
                    IndexForm::All => self.lines::<true, true, false>(room, out),
                    _ if BLOCKS > 1 => (0, at),
                    IndexForm::None => (0, at),
                    IndexForm::List => self.lines::<false, false, true>(room, out),
                    IndexForm::Vertices => self.lines::<false, false, false>(room, out),
                    IndexForm::VerticesUvs => self.lines::<true, false, false>(room, out),
                    IndexForm::VerticesNormals => self.lines::<false, true, false>(room, out),
                }
            };
            if lines == 0 {
                out.uvs.truncate(uvs);
                out.normals.truncate(normals);
                break;
            }
            (taken, at) = (taken + lines, next);
        }
        (taken, at)
    }

    /// Takes known lines of one form.
    ///
    /// # Safety
    /// 64 bytes follow `end`.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn lines<const UVS: bool, const NORMALS: bool, const LIST: bool>(
        &self,
        (text, mut at, end, most): (&[u8], usize, usize, usize),
        out: &mut FaceArrays<'_>,
    ) -> (usize, usize) {
        let form = match (UVS, NORMALS, LIST) {
            (_, _, true) => IndexForm::List,
            (false, false, _) => IndexForm::Vertices,
            (true, false, _) => IndexForm::VerticesUvs,
            (false, true, _) => IndexForm::VerticesNormals,
            (true, true, _) => IndexForm::All,
        };
        let mut taken = 0;
        loop {
            let before = out.vertices.len();
            let columns =
                [(true, &mut *out.vertices), (UVS, &mut *out.uvs), (NORMALS, &mut *out.normals)];
            let [vertices, uvs, normals] = columns.map(|(has, column)| {
                if has {
                    column.reserve(8 * LINES);
                }
                column.spare_capacity_mut().as_mut_ptr().cast::<u32>()
            });
            out.ends.reserve(LINES);
            let ends = out.ends.spare_capacity_mut();
            let (mut corners, mut lines) = (0, 0);
            while lines < LINES.min(most - taken) {
                let Some(blocks) = blocks::<BLOCKS>(text, at, end, LIST) else { break };
                let line = LineMarks::new(blocks);
                let known = self.entry(&line.places);
                let IndexLine { form: known_form, corners: count, first, second } = &known.numbers;
                let next = at + (if LIST { 0 } else { 2 }) + line.length;
                if !line.is(known)
                    || *known_form != form
                    || next > end
                    || LIST && blocks[0][0] != b'0' + count
                {
                    break;
                }
                // SAFETY: the line ends before `end`, behind which there are 64 bytes, more than 16; each line has
                // at most eight corners, for which there is room in the columns that there are.
                unsafe {
                    let values = eight(blocks.as_flattened(), first);
                    let wanted = (1u32 << count) - 1;
                    if LIST {
                        let behind = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);
                        let values = _mm256_permutevar8x32_epi32(values, behind);
                        _mm256_storeu_si256(vertices.add(corners).cast(), values);
                    } else if !UVS && !NORMALS {
                        let (indices, zeros) = indices(values);
                        if zeros & wanted != 0 {
                            break;
                        }
                        _mm256_storeu_si256(vertices.add(corners).cast(), indices);
                    } else {
                        let by_part = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
                        let (pairs, zeros) = indices(_mm256_permutevar8x32_epi32(values, by_part));
                        let mut wrong = zeros & (wanted * 0x11);
                        let first = _mm256_castsi256_si128(pairs);
                        let other = _mm256_extracti128_si256::<1>(pairs);
                        if UVS && NORMALS {
                            let values = eight(blocks.as_flattened(), second);
                            let (all, zeros) =
                                indices(_mm256_permutevar8x32_epi32(values, by_part));
                            wrong |= zeros & wanted;
                            _mm_storeu_si128(
                                normals.add(corners).cast(),
                                _mm256_castsi256_si128(all),
                            );
                        }
                        if wrong != 0 {
                            break;
                        }
                        _mm_storeu_si128(vertices.add(corners).cast(), first);
                        let column = if UVS { uvs } else { normals };
                        _mm_storeu_si128(column.add(corners).cast(), other);
                    }
                }
                corners += usize::from(*count);
                let sum = if LIST { usize::from(*count) } else { before + corners };
                ends[lines].write(sum as u32);
                lines += 1;
                at = next;
            }
            // SAFETY: so many were written.
            unsafe {
                out.vertices.set_len(before + corners);
                if UVS {
                    out.uvs.set_len(before + corners);
                }
                if NORMALS {
                    out.normals.set_len(before + corners);
                }
                out.ends.set_len(out.ends.len() + lines);
            }
            taken += lines;
            if lines < LINES {
                return (taken, at);
            }
        }
    }
}

/// The blocks behind the key of the line at `at`.
#[inline(always)]
fn blocks<const BLOCKS: usize>(
    text: &[u8],
    at: usize,
    end: usize,
    is_list: bool,
) -> Option<&[[u8; BLOCK]; BLOCKS]> {
    let from = if is_list { at } else { at + 2 };
    (at < end && from <= end && (is_list || text[at..from] == *b"f "))
        .then(|| text[from..].as_chunks().0.first_chunk())?
}

/// Numbers less 1, and which of them were 0.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn indices(values: __m256i) -> (__m256i, u32) {
    let less = _mm256_sub_epi32(values, _mm256_set1_epi32(1));
    (less, _mm256_movemask_ps(_mm256_castsi256_ps(less)) as u32)
}

/// Eight numbers of up to eight digits in their order.
///
/// # Safety
/// 16 bytes follow the start of each.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn eight(text: &[u8], numbers: &EightNumbers) -> __m256i {
    let pairs = |pair: usize| {
        // SAFETY: as promised; the loads need no alignment.
        let [low, high] = [pair, pair + 2].map(|pair| unsafe {
            let from = text.as_ptr().add(numbers.starts[pair].into());
            let digits = _mm_sub_epi8(_mm_loadu_si128(from.cast()), _mm_set1_epi8(b'0' as i8));
            _mm_shuffle_epi8(digits, _mm_loadu_si128(numbers.places[pair].as_ptr().cast()))
        });
        let twos =
            _mm256_maddubs_epi16(_mm256_set_m128i(high, low), _mm256_set1_epi16(10 | 1 << 8));
        _mm256_madd_epi16(twos, _mm256_set1_epi32(100 | 1 << 16))
    };
    let fours = _mm256_packus_epi32(pairs(0), pairs(1));
    _mm256_madd_epi16(fours, _mm256_set1_epi32(10_000 | 1 << 16))
}
