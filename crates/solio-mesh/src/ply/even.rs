//! Binary records that all have one size: decoded on all threads, straight to their places.
//!
//! * Most files have nothing but triangles, or nothing but quads: then lists are of one length,
//!   and where each record lies is known without looking at those before it.
//! * The results are zeroed memory that the system hands out on first touch, in huge pages, so
//!   that no byte of them is written twice and none by one thread alone.
//!
//! Whatever is odd (a list of another length, an index past the vertices, an end that comes too
//! early) is left to [`super::binary`], which takes every file and knows the place of an error.

use super::columns::{ColumnKind, ColumnRole, ColumnTable, PlyColumn};
use super::context::{ElementContext, bad_index_at, list_count};
use super::data::ScalarArray;
use super::kernels::{ColumnOutput, RawField, RawRows, gather};
use super::memory::{SpareArrays, SpareBuffer};
use crate::head::SourceHead;
use crate::model::ScalarType;
use crate::spans::DECODE;
use solio_base::{Result, Work, memory, ordered};
use solio_codec::records::{self, RecordField};
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes in a chunk: they, the values that they become and what the system reads them from lie in a
/// core's own cache (512 KiB on Zen 3, where meshes of 0.3 to 2 MB took 8 % longer with 256 KiB).
const CHUNK: usize = 128 << 10;
/// The largest record, to be looked at before all are read.
const LONGEST: usize = 256 << 10;
/// So many chunks, about 100 µs of work, are worth another thread.
const CHUNKS_OF_THREAD: usize = 8;

/// One chunk of records.
#[derive(Default)]
struct EvenChunk<'a> {
    buffer: SpareBuffer,
    at: u64,
    /// Bytes of the records.
    bytes: usize,
    /// The part of each column that the chunk fills.
    outs: Vec<ColumnOutput<'a>>,
}

/// A count that all records must have.
struct EvenCount {
    property: usize,
    offset: usize,
    count: u32,
}

/// Indices that are moved and looked at in one go.
struct EvenLists {
    part: RecordField,
    count: records::CountByte,
}

/// Values that lie together in the records and in a column.
struct Move {
    column: usize,
    field: RawField,
    place: usize,
    lists: Option<EvenLists>,
}

impl Move {
    /// Where the bytes are, if they are those of the whole column.
    fn part(&self, column: &PlyColumn, stride: usize) -> Option<RecordField> {
        let RawField { scalar, big_endian, offset, count } = self.field;
        let same = match column.kind {
            ColumnKind::Same => true,
            ColumnKind::F32(divisor) => divisor == 1.0 && scalar == ScalarType::F32,
            ColumnKind::F64 => scalar == ScalarType::F64,
            ColumnKind::Index => matches!(scalar, ScalarType::I32 | ScalarType::U32),
        };
        let in_order = big_endian == cfg!(target_endian = "big") || scalar.size() == 1;
        let whole = self.place == 0 && count == column.width;
        let width = count * scalar.size();
        (same && in_order && whole).then_some(RecordField { stride, offset, width })
    }

    /// The lists, if they are vertices of faces with a count of one byte.
    fn of_lists(
        &self,
        column: &PlyColumn,
        stride: usize,
        cx: &ElementContext<'_>,
        counts: &[EvenCount],
    ) -> Option<EvenLists> {
        let property = *column.parts.first()?;
        let plain = column.is_list
            && column.kind == ColumnKind::Index
            && column.role != ColumnRole::Strips
            && cx.element.properties[property].list == Some(ScalarType::U8);
        let count = counts.iter().find(|count| plain && count.property == property)?;
        let value = u8::try_from(count.count).ok()?;
        let part = self.part(column, stride)?;
        Some(EvenLists { part, count: records::CountByte { offset: count.offset, value } })
    }
}

/// What every record looks like.
struct EvenShape {
    stride: usize,
    /// Those that no move looks at.
    counts: Vec<EvenCount>,
    moves: Vec<Move>,
    /// As planned, but a list has its length as width.
    columns: Vec<PlyColumn>,
    /// The records are the array of the only column, byte for byte.
    is_array: bool,
}

/// Reads the records of an element that start at `*at`, and moves `*at` behind them; `None`
/// (and `at` as it was) when they are not of one size or not all right.
pub(crate) fn read_element(
    head: &SourceHead<'_>,
    at: &mut u64,
    cx: &ElementContext<'_>,
    work: &Work,
    memory: &mut SpareArrays,
) -> Result<Option<Vec<ColumnTable>>> {
    let Some(shape) = EvenShape::of_first(head, *at, cx)? else { return Ok(None) };
    let rows = cx.element.count as usize;
    let mut all: Vec<ScalarArray> =
        shape.columns.iter().map(|c| memory.for_writing(c.stored, rows * c.width)).collect();
    let mut outs: Vec<ColumnOutput<'_>> = all.iter_mut().map(ScalarArray::out).collect();
    let chunk = (CHUNK / shape.stride).max(1);
    let odd = AtomicBool::new(false);
    let mut row = 0;
    // A thread that has little to do costs more than it saves.
    let threads = (rows / chunk / CHUNKS_OF_THREAD).max(1);
    ordered::run::<EvenChunk<'_>>(
        work,
        if threads == 1 { 1 } else { work.window(4 * CHUNK) },
        |slot| {
            let n = chunk.min(rows - row);
            if n == 0 || odd.load(Ordering::Relaxed) {
                return Ok(false);
            }
            slot.at = *at + (row * shape.stride) as u64;
            slot.bytes = n * shape.stride;
            slot.outs.clear();
            let parts = outs.iter_mut().zip(&shape.columns);
            slot.outs.extend(parts.map(|(out, column)| out.take(n * column.width)));
            row += n;
            Ok(true)
        },
        |slot| {
            if let (true, [out]) = (shape.is_array, &mut slot.outs[..]) {
                let out = out.bytes();
                let _span = DECODE.begin().bytes(out.len());
                let got = head.read_at(slot.at, out)?;
                odd.fetch_or(got < out.len(), Ordering::Relaxed);
                return Ok(());
            }
            let _span = DECODE.begin().bytes(slot.bytes);
            let bytes = memory::placed(&mut slot.buffer.0, slot.bytes, slot.at);
            let got = head.read_at(slot.at, bytes)?;
            if got < bytes.len() || !shape.decode(bytes, &mut slot.outs, cx) {
                odd.store(true, Ordering::Relaxed);
            }
            Ok(())
        },
        |_| Ok(()),
    )?;
    if odd.into_inner() {
        return Ok(None);
    }
    *at += (rows * shape.stride) as u64;
    Ok(Some(shape.tables(all, rows, memory)))
}

impl EvenShape {
    /// The shape of the record at `at`, if it can be that of all.
    fn of_first(
        head: &SourceHead<'_>,
        at: u64,
        cx: &ElementContext<'_>,
    ) -> Result<Option<EvenShape>> {
        let (Some(total), false) = (head.len_bytes(), head.is_sequential()) else {
            return Ok(None);
        };
        let of = |most: usize| {
            let mut bytes = vec![0; head.room(at, most)];
            let got = head.read_at(at, &mut bytes)?;
            Ok(EvenShape::new(&bytes[..got], cx))
        };
        // Few records are longer.
        let shape = match of(1 << 10)? {
            None => of(LONGEST)?,
            shape => shape,
        };
        Ok(shape.filter(|shape| {
            let rows = cx.element.count;
            let need = (shape.stride as u64).checked_mul(rows);
            let fits = |c: &PlyColumn| {
                let values = (c.width as u64).saturating_mul(rows);
                !c.is_list
                    || (cx.limits.check_elements("list values", values).is_ok()
                        && values < u64::from(u32::MAX))
            };
            let values = shape.columns.iter().map(|c| c.width as u64).max().unwrap_or(0);
            rows > 0
                && need.is_some_and(|need| need <= total.saturating_sub(at))
                && shape.columns.iter().all(fits)
                && cx.limits.check_elements("list values", rows).is_ok()
                && cx.limits.check_bytes("an element", 8 * values.saturating_mul(rows)).is_ok()
        }))
    }

    /// The shape of the record that `bytes` start with.
    fn new(bytes: &[u8], cx: &ElementContext<'_>) -> Option<EvenShape> {
        let properties = &cx.element.properties;
        let (mut stride, mut counts, mut offsets) = (0, Vec::new(), Vec::new());
        let mut columns = cx.plan.columns.clone();
        for (i, property) in properties.iter().enumerate() {
            let mut values = 1;
            if let Some(scalar) = property.list {
                let count = list_count(property, bytes.get(stride..)?, cx.big_endian)??;
                counts.push(EvenCount { property: i, offset: stride, count });
                stride += scalar.size();
                values = count as usize;
                columns[cx.plan.of_property[i].0].width = values;
            }
            offsets.push(stride);
            stride = stride.checked_add(values.checked_mul(property.scalar.size())?)?;
        }
        let plain = stride > 0 && stride <= bytes.len() && columns.iter().all(|c| c.width > 0);
        for column in columns.iter_mut().filter(|c| c.role == ColumnRole::Skipped) {
            column.width = 0;
        }
        let mut moves = moves(cx, &columns, &offsets);
        for each in &mut moves {
            each.lists = each.of_lists(&columns[each.column], stride, cx, &counts);
        }
        let is_looked_at = |count: &EvenCount| {
            let of = |lists: &EvenLists| lists.count.offset == count.offset;
            moves.iter().any(|each| each.lists.as_ref().is_some_and(of))
        };
        counts.retain(|count| !is_looked_at(count));
        let is_array = match (&moves[..], &columns[..]) {
            ([only], [column]) => {
                !column.is_list
                    && column.kind != ColumnKind::Index
                    && only.part(column, stride).is_some_and(|part| part.width == stride)
            }
            _ => false,
        };
        plain.then_some(EvenShape { stride, counts, moves, columns, is_array })
    }

    /// Decodes whole records; `false` when one is of another shape or has a wrong index.
    fn decode(&self, bytes: &[u8], outs: &mut [ColumnOutput<'_>], cx: &ElementContext<'_>) -> bool {
        if !self.counts.iter().all(|count| self.has_count(bytes, count, cx)) {
            return false;
        }
        for (out, column) in outs.iter_mut().zip(&self.columns) {
            if !column.is_list
                && column.parts.len() < column.width
                && let Some(values) = out.values::<f32>()
            {
                values.fill(1.0); // alpha
            }
        }
        for each in &self.moves {
            let Move { column: c, field, place, lists } = each;
            let (column, out) = (&self.columns[*c], &mut outs[*c]);
            if let (Some(EvenLists { part, count }), Some(values)) = (lists, out.values()) {
                let found = records::pick_lists(bytes, *part, *count, values);
                if !found.all_alike || u64::from(found.largest) >= cx.vertices {
                    return false;
                }
                continue;
            }
            let part = each.part(column, self.stride);
            let done = part.map_or(0, |part| records::pick(bytes, part, out.bytes()));
            let rows = RawRows::Fixed { bytes: &bytes[done * self.stride..], stride: self.stride };
            gather(rows, field, column, &mut out.from(done * column.width), *place);
        }
        let is_looked_at =
            |c: usize| self.moves.iter().any(|each| each.column == c && each.lists.is_some());
        let mut columns = outs.iter_mut().zip(&self.columns).enumerate();
        columns.all(|(c, (out, column))| match out.values() {
            Some(values) if !is_looked_at(c) => bad_index_at(column, values, cx.vertices).is_none(),
            _ => true,
        })
    }

    /// Whether a list has the same length in all records.
    fn has_count(&self, bytes: &[u8], count: &EvenCount, cx: &ElementContext<'_>) -> bool {
        let property = &cx.element.properties[count.property];
        let mut lists = bytes.chunks_exact(self.stride).map(|row| &row[count.offset..]);
        if property.list == Some(ScalarType::U8) {
            // Without an early end, so that it becomes a vector loop.
            return lists.fold(0, |all, list| all | (u32::from(list[0]) ^ count.count)) == 0;
        }
        lists.all(|list| list_count(property, list, cx.big_endian) == Some(Some(count.count)))
    }

    fn tables(
        &self,
        all: Vec<ScalarArray>,
        rows: usize,
        memory: &mut SpareArrays,
    ) -> Vec<ColumnTable> {
        let table = |(data, column): (ScalarArray, &PlyColumn)| {
            let mut offsets = Vec::new();
            if column.is_list
                && column.role != ColumnRole::Skipped
                && let ScalarArray::U32(values) = memory.for_writing(ScalarType::U32, rows + 1)
            {
                offsets = values;
                records::count_up(0, column.width as u32, &mut offsets);
            }
            ColumnTable { data, offsets }
        };
        all.into_iter().zip(&self.columns).map(table).collect()
    }
}

/// What goes where, with neighbours moved together.
fn moves(cx: &ElementContext<'_>, columns: &[PlyColumn], offsets: &[usize]) -> Vec<Move> {
    let mut moves: Vec<Move> = Vec::new();
    let wanted = columns.iter().enumerate().filter(|(_, c)| c.role != ColumnRole::Skipped);
    for (c, column) in wanted {
        for (place, &p) in column.parts.iter().enumerate() {
            let (scalar, offset) = (cx.element.properties[p].scalar, offsets[p]);
            let count = if column.is_list { column.width } else { 1 };
            if let Some(Move { column, field, .. }) = moves.last_mut()
                && *column == c
                && field.scalar == scalar
                && field.offset + field.count * scalar.size() == offset
            {
                field.count += 1;
                continue;
            }
            let field = RawField { scalar, big_endian: cx.big_endian, offset, count };
            moves.push(Move { column: c, field, place, lists: None });
        }
    }
    moves
}

#[cfg(test)]
mod tests {
    use crate::model::{Mesh, Positions};
    use crate::ply::{PlyReadOptions, decode_ply, decode_ply_into};
    use solio_base::{Result, Source, Work};

    /// Serves its bytes in order only, so that it is not read here.
    struct InOrder<'a>(&'a [u8]);

    impl Source for InOrder<'_> {
        fn len_bytes(&self) -> Option<u64> {
            Some(self.0.len() as u64)
        }
        fn is_sequential(&self) -> bool {
            true
        }
        fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
            self.0.read_at(offset, buf)
        }
    }

    /// Vertices, and faces that have `corners` corners but for the face `other`, with four.
    fn file(big_endian: bool, corners: u32, other: usize, index: u32) -> Vec<u8> {
        const ROWS: usize = 40_000;
        let format = if big_endian { "big" } else { "little" };
        let mut out = format!(
            "ply\nformat binary_{format}_endian 1.0\nelement vertex {ROWS}\nproperty float x\n\
             property float y\nproperty float z\nproperty uchar red\nproperty uchar green\n\
             property uchar blue\nproperty short mark\nelement face {ROWS}\n\
             property uchar flags\nproperty list uchar int vertex_indices\n\
             property list ushort double weights\nend_header\n"
        )
        .into_bytes();
        let mut put = |bytes: &[u8]| match big_endian {
            true => out.extend(bytes.iter().rev()),
            false => out.extend(bytes),
        };
        for i in 0..ROWS {
            (0..3).for_each(|k| put(&(i as f32 * 0.5 + k as f32).to_le_bytes()));
            (0..3).for_each(|k| put(&[(i + k) as u8]));
            put(&(i as i16).to_le_bytes());
        }
        for i in 0..ROWS {
            let count = if i == other { 4 } else { corners };
            put(&[i as u8]);
            put(&[count as u8]);
            (0..count).for_each(|k| put(&(if i == other { index } else { k }).to_le_bytes()));
            put(&2u16.to_le_bytes());
            (0..2).for_each(|k| put(&(i as f64 + f64::from(k)).to_le_bytes()));
        }
        out
    }

    /// What this reader gives, which must be what [`super::super::binary`] gives.
    fn both(bytes: &[u8]) -> std::result::Result<Mesh<'static>, String> {
        let read = |source: &dyn Source, threads| {
            let work = Work { threads, ..Work::default() };
            decode_ply(source, &PlyReadOptions::default(), &work)
                .map(|mut scene| scene.meshes.remove(0))
                .map_err(|e| e.to_string())
        };
        let want = read(&InOrder(bytes), 2);
        assert_eq!(read(&bytes, 1), want);
        assert_eq!(read(&bytes, 3), want);
        want
    }

    #[test]
    fn even_records_read_as_others_do() {
        for big_endian in [false, true] {
            for corners in [3, 4, 7] {
                let mesh = both(&file(big_endian, corners, usize::MAX, 0)).unwrap();
                let Positions::F32(positions) = &mesh.positions else { panic!("not f32") };
                assert_eq!(positions[39_999], [19_999.5, 20_000.5, 20_001.5]);
                assert_eq!(
                    mesh.colors.unwrap().values[513],
                    [1.0 / 255.0, 2.0 / 255.0, 3.0 / 255.0, 1.0]
                );
                assert_eq!(mesh.face_offsets[40_000], 40_000 * corners);
                assert_eq!(mesh.corner_vertices[(39_999 * corners + 2) as usize], 2);
                assert_eq!(mesh.attributes.len(), 3);
            }
        }
    }

    #[test]
    fn memory_is_used_again_and_nothing_of_it_is_left() {
        let (options, work) = (PlyReadOptions::default(), Work::default());
        let mut scene = decode_ply(&file(false, 4, usize::MAX, 0), &options, &work).unwrap();
        let places = |mesh: &Mesh<'_>| {
            let Positions::F32(positions) = &mesh.positions else { panic!("not f32") };
            (positions.as_ptr() as usize, mesh.corner_vertices.as_ptr() as usize)
        };
        let before = places(&scene.meshes[0]);
        for bytes in [file(false, 3, usize::MAX, 0), file(true, 4, usize::MAX, 0)] {
            decode_ply_into(&mut scene, &bytes, &options, &work).unwrap();
            assert_eq!(scene, decode_ply(&bytes, &options, &work).unwrap());
            assert_eq!(places(&scene.meshes[0]), before);
        }
        // What a mesh between has no use for is there for the next one.
        let points = b"ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\n\
            property float y\nproperty float z\nend_header\n012345678901";
        decode_ply_into(&mut scene, &points.as_slice(), &options, &work).unwrap();
        assert_eq!(scene.meshes[0].positions.len(), 1);
        let bytes = file(false, 4, usize::MAX, 0);
        decode_ply_into(&mut scene, &bytes, &options, &work).unwrap();
        assert_eq!(scene, decode_ply(&bytes, &options, &work).unwrap());
        assert_eq!(places(&scene.meshes[0]), before);
        decode_ply_into(&mut scene, &file(false, 3, 39_990, 5), &options, &work).unwrap();
        assert_eq!(scene.meshes[0].face_offsets[40_000], 120_001);
        decode_ply_into(&mut scene, &b"ply\nformat".as_slice(), &options, &work).unwrap_err();
        assert!(scene.meshes.is_empty());
    }

    #[test]
    fn positions_alone_and_edges_are_read_as_they_lie() {
        for (bad, ok) in [(1, true), (9, false)] {
            let mut bytes = b"ply\nformat binary_little_endian 1.0\nelement vertex 2\n\
                property float x\nproperty float y\nproperty float z\nelement edge 1\n\
                property int vertex1\nproperty int vertex2\nend_header\n"
                .to_vec();
            (0..6).for_each(|i| bytes.extend((i as f32).to_le_bytes()));
            [0, bad].iter().for_each(|i: &i32| bytes.extend(i.to_le_bytes()));
            let mesh = both(&bytes);
            assert_eq!(mesh.is_ok(), ok);
            let Ok(mesh) = mesh else { continue };
            let Positions::F32(positions) = &mesh.positions else { panic!("not f32") };
            assert_eq!(positions[..], [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]);
            assert_eq!(mesh.line_vertices[..], [0, 1]);
        }
    }

    #[test]
    fn odd_records_are_left_to_the_other_reader() {
        let mesh = both(&file(false, 3, 39_990, 5)).unwrap();
        assert_eq!(mesh.face_offsets[40_000], 120_001);
        assert_eq!(both(&file(false, 0, usize::MAX, 0)).unwrap().corner_vertices.len(), 0);
        let error = both(&file(false, 4, 39_990, 40_000)).unwrap_err();
        assert!(error.contains("record 39990"), "{error}");
        let whole = file(true, 3, usize::MAX, 0);
        for cut in [1, 300_000, 700_000, 1_900_000] {
            both(&whole[..whole.len() - cut]).unwrap_err();
        }
    }
}
