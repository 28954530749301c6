//! Vertices of the file where the corners of a vertex have different UVs or normals: one for every
//! different triple of vertex, UV and normal, in the order of the corners.
//!
//! Only corners of one vertex can be equal, so no hash is needed: the different ones of a vertex
//! form a list, which rarely has more than a few entries. Why this is fast and small:
//!
//! * One array of 32 bits a corner holds first the lists, then the numbers; another one, of
//!   32 bits a vertex, the heads of the lists.
//! * The vertices are divided among the threads. Each thread passes over all corners, which are in
//!   memory already, and looks at those of its own vertices, which in most meshes lie together.
//! * What is kept in the end is a bit for each corner. The numbers stay too where the memory
//!   suffices; otherwise they are made again when the faces are written.
//!
//! Crafted meshes, in which thousands of corners share a vertex and nothing else, and meshes whose
//! numbers alone pass the memory, are left to [`crate::rounds`].

use crate::bits::{BLOCK, RankedBits};
use crate::merge::MergeValues;
use crate::model::{Domain, Mesh, NONE, Normals, Uvs};
use crate::parallel;
use crate::rounds;
use solio_base::Result;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// See the head of this file.
pub(crate) struct VertexSplit<'m> {
    pub(crate) keys: CornerKeys<'m>,
    /// The corners that bring a new vertex.
    pub(crate) firsts: RankedBits,
    /// The mesh's vertices without a corner; they follow.
    pub(crate) loose: RankedBits,
    /// Corners in a round, where it was done in rounds.
    pub(crate) round: Option<usize>,
}

/// The number of the vertex of each corner.
pub(crate) enum VertexNumbers {
    /// Of all corners, with [`FIRST`] where the corner brought the vertex.
    All(Vec<AtomicU32>),
    /// Of some corners, from the first one on.
    Some(usize, Vec<u32>),
}

impl VertexNumbers {
    /// Appends the numbers of some corners, each plus `base`.
    pub(crate) fn extend(&self, corners: Range<usize>, base: u32, out: &mut Vec<u32>) {
        match self {
            VertexNumbers::All(all) => {
                out.extend(all[corners].iter().map(|n| (n.load(Relaxed) & !FIRST) + base));
            }
            VertexNumbers::Some(first, some) => {
                let corners = corners.start - first..corners.end - first;
                out.extend(some[corners].iter().map(|n| n + base));
            }
        }
    }
}

impl VertexNumbers {
    /// The number of one corner.
    pub(crate) fn of(&self, corner: usize) -> u32 {
        match self {
            VertexNumbers::All(all) => all[corner].load(Relaxed) & !FIRST,
            VertexNumbers::Some(first, some) => some[corner - first],
        }
    }
}

/// What marks a corner that brings a vertex; the check of meshes leaves this bit free.
const FIRST: u32 = 1 << 31;
/// The end of a list.
const END: u32 = FIRST - 1;
/// Steps along lists for each corner; more and the mesh is a crafted one.
const STEPS: usize = 16;

impl<'m> VertexSplit<'m> {
    /// Merges the corners of a mesh; `None` where its lists are too long.
    pub(crate) fn linked(keys: CornerKeys<'m>) -> Option<(VertexSplit<'m>, VertexNumbers)> {
        let (numbers, loose) = keys.link_all(STEPS * keys.corners() + 1_000_000)?;
        let firsts = firsts(&numbers);
        Some((VertexSplit { keys, firsts, loose, round: None }, VertexNumbers::All(numbers)))
    }

    /// Merges the corners of a mesh in rounds, within `memory` of which `others` bytes are taken.
    pub(crate) fn in_rounds(
        keys: CornerKeys<'m>,
        memory: u64,
        others: u64,
    ) -> Result<VertexSplit<'m>> {
        let round = rounds::size(memory, keys.corners() as u64, others, 0)?;
        let loose = loose(keys.mesh);
        let firsts = match keys.width() {
            3 => rounds::firsts::<3>(&keys, round),
            4 => rounds::firsts::<4>(&keys, round),
            _ => rounds::firsts::<6>(&keys, round),
        };
        Ok(VertexSplit { keys, firsts, loose, round: Some(round) })
    }

    /// How many vertices there are.
    pub(crate) fn vertices(&self) -> usize {
        (self.firsts.count() + self.loose.count()) as usize
    }

    /// The numbers of all corners, once more; not where it was done in rounds.
    pub(crate) fn again(&self) -> Option<VertexNumbers> {
        let steps = if self.round.is_some() { 0 } else { usize::MAX };
        self.keys.link_all(steps).map(|(numbers, _)| VertexNumbers::All(numbers))
    }

    /// For each of the mesh's vertices the number that its last corner has; for those without a
    /// corner, their own.
    pub(crate) fn last(&self, memory: u64) -> Result<Vec<u32>> {
        let mesh = self.keys.mesh;
        let vertices = mesh.positions.len();
        let mut last = vec![NONE; vertices];
        if let Some(numbers) = self.again() {
            for (corner, &vertex) in mesh.corner_vertices.iter().enumerate() {
                last[vertex as usize] = numbers.of(corner);
            }
        } else {
            let round = rounds::size(memory, vertices as u64, 4 * vertices as u64, 0)?;
            for (corner, &vertex) in mesh.corner_vertices.iter().enumerate() {
                last[vertex as usize] = corner as u32;
            }
            for some in last.chunks_mut(round) {
                let corners: Vec<u32> = some.iter().copied().filter(|&c| c != NONE).collect();
                let numbers = self.numbers(&corners);
                let used = some.iter_mut().filter(|corner| **corner != NONE);
                used.zip(numbers).for_each(|(corner, number)| *corner = number);
            }
        }
        for block in 0..self.loose.blocks() {
            let loose = self.firsts.count() + self.loose.before_block(block);
            let own = self.loose.members(block).zip(loose..);
            own.for_each(|(vertex, own)| last[vertex as usize] = own);
        }
        Ok(last)
    }

    /// The numbers of some corners.
    pub(crate) fn numbers(&self, corners: &[u32]) -> Vec<u32> {
        match self.keys.width() {
            3 => rounds::numbers::<3>(&self.keys, &self.firsts, corners),
            4 => rounds::numbers::<4>(&self.keys, &self.firsts, corners),
            _ => rounds::numbers::<6>(&self.keys, &self.firsts, corners),
        }
    }
}

/// Turns lists into numbers: corner → first corner becomes corner → number of the first corner.
fn number(links: &[AtomicU32]) {
    let is_first = |link: &AtomicU32| link.load(Relaxed) & FIRST != 0;
    let blocks: Vec<&[AtomicU32]> = links.chunks(BLOCK).collect();
    let counts = parallel::collect(blocks.len(), &|i| {
        blocks[i].iter().filter(|link| is_first(link)).count() as u32
    });
    let mut sum = 0;
    let bases = counts.iter().map(|count| {
        sum += count;
        sum - count
    });
    let bases: Vec<u32> = bases.collect();
    parallel::each(blocks.len(), &|i| {
        let firsts = blocks[i].iter().filter(|link| is_first(link));
        firsts.zip(bases[i]..).for_each(|(link, number)| link.store(FIRST | number, Relaxed));
    });
    parallel::each(blocks.len(), &|i| {
        for link in blocks[i].iter().filter(|link| !is_first(link)) {
            let first = link.load(Relaxed) as usize;
            link.store(links[first].load(Relaxed) & !FIRST, Relaxed);
        }
    });
}

/// The corners that brought a vertex.
fn firsts(numbers: &[AtomicU32]) -> RankedBits {
    let mut bits = RankedBits::new(numbers.len());
    let mut blocks: Vec<_> = bits.blocks_mut().zip(numbers.chunks(BLOCK)).collect();
    parallel::each_of(&mut blocks, &|_, (words, numbers)| {
        for (word, numbers) in words.iter_mut().zip(numbers.chunks(64)) {
            let flags = numbers.iter().map(|n| u64::from(n.load(Relaxed) >> 31));
            *word = flags.zip(0..).fold(0, |word, (flag, bit)| word | flag << bit);
        }
    });
    bits.count_blocks(numbers.len());
    bits
}

/// The vertices without a corner.
fn loose(mesh: &Mesh<'_>) -> RankedBits {
    let mut bits = RankedBits::new(mesh.positions.len());
    mesh.corner_vertices.iter().for_each(|&vertex| bits.insert(vertex as usize));
    bits.invert(mesh.positions.len());
    bits.count_blocks(mesh.positions.len());
    bits
}

/// The values that decide whether corners share a vertex.
#[derive(Clone, Copy)]
pub(crate) struct CornerKeys<'m> {
    pub(crate) mesh: &'m Mesh<'m>,
    pub(crate) uvs: Option<&'m Uvs<'m>>,
    pub(crate) normals: Option<&'m Normals<'m>>,
}

impl CornerKeys<'_> {
    /// Bytes that [`VertexSplit::linked`] and [`VertexSplit::again`] take.
    pub(crate) fn bytes(&self) -> u64 {
        4 * (self.corners() + self.mesh.positions.len()) as u64
    }

    /// Bytes of a [`VertexSplit`].
    pub(crate) fn bytes_kept(&self) -> u64 {
        RankedBits::bytes(self.corners()) + RankedBits::bytes(self.mesh.positions.len())
    }

    fn corners(&self) -> usize {
        self.mesh.corner_vertices.len()
    }

    /// The number of each corner, and the vertices without a corner; `None` where a thread needs
    /// more than so many steps.
    fn link_all(&self, steps: usize) -> Option<(Vec<AtomicU32>, RankedBits)> {
        let vertices = self.mesh.positions.len();
        let mut links = solio_base::memory::with_capacity(self.corners());
        links.resize_with(self.corners(), AtomicU32::default);
        // Threads that share a small mesh would only wait for each other.
        let threads = rayon::current_num_threads().min(self.corners().div_ceil(BLOCK)).max(1);
        let each = vertices.div_ceil(threads).max(1);
        let mut heads = vec![END; vertices];
        let mut parts: Vec<_> = heads.chunks_mut(each).map(|heads| (heads, false)).collect();
        parallel::each_of(&mut parts, &|i, (heads, done)| {
            *done = self.link((i * each) as u32, heads, &links, steps);
        });
        if !parts.iter().all(|(_, done)| *done) {
            return None;
        }
        let mut loose = RankedBits::new(vertices);
        let without = heads.iter().enumerate().filter(|(_, head)| **head == END);
        without.for_each(|(vertex, _)| loose.insert(vertex));
        loose.count_blocks(vertices);
        drop(heads);
        number(&links);
        Some((links, loose))
    }

    /// Numbers in a key.
    fn width(&self) -> usize {
        1 + if self.uvs.is_some() { 2 } else { 0 } + if self.normals.is_some() { 3 } else { 0 }
    }

    /// Links the corners of the vertices from `start` on, one for each of `heads`; `false` where
    /// the lists are too long.
    fn link(&self, start: u32, heads: &mut [u32], links: &[AtomicU32], steps: usize) -> bool {
        let (uvs, normals) = (self.uvs, self.normals);
        match (uvs.map(|u| &u.domain), normals.map(|n| &n.domain)) {
            // What exporters give, without a look at the domain for each corner.
            (Some(Domain::Corner), None) => {
                let uvs = &uvs.expect("matched").values;
                self.link_by(start, heads, links, steps, |a, b| uvs[a] == uvs[b])
            }
            (Some(Domain::Corner), Some(Domain::Corner)) => {
                let (uvs, normals) = (uvs.expect("matched"), normals.expect("matched"));
                let (uvs, normals) = (&uvs.values, &normals.values);
                let same = |a: usize, b: usize| uvs[a] == uvs[b] && normals[a] == normals[b];
                self.link_by(start, heads, links, steps, same)
            }
            _ => self.link_by(start, heads, links, steps, |a, b| {
                self.uv(a) == self.uv(b) && self.normal(a) == self.normal(b)
            }),
        }
    }

    fn link_by(
        &self,
        start: u32,
        heads: &mut [u32],
        links: &[AtomicU32],
        mut steps: usize,
        same: impl Fn(usize, usize) -> bool,
    ) -> bool {
        for (corner, (&vertex, link)) in self.mesh.corner_vertices.iter().zip(links).enumerate() {
            let Some(head) = heads.get_mut(vertex.wrapping_sub(start) as usize) else { continue };
            let mut first = *head;
            loop {
                if first == END {
                    link.store(FIRST | *head, Relaxed);
                    *head = corner as u32;
                    break;
                }
                if same(first as usize, corner) {
                    link.store(first, Relaxed);
                    break;
                }
                if steps == 0 {
                    return false;
                }
                steps -= 1;
                first = links[first as usize].load(Relaxed) & !FIRST;
            }
        }
        true
    }

    fn uv(&self, corner: usize) -> [f32; 2] {
        let Some(uvs) = self.uvs else { return [0.0; 2] };
        uvs.domain.index_of(self.mesh, corner).map_or([0.0; 2], |i| uvs.values[i])
    }

    fn normal(&self, corner: usize) -> [f32; 3] {
        let Some(normals) = self.normals else { return [0.0; 3] };
        normals.domain.index_of(self.mesh, corner).map_or([0.0; 3], |i| normals.values[i])
    }
}

impl<const N: usize> MergeValues<N> for CornerKeys<'_> {
    fn count(&self) -> usize {
        self.mesh.corner_vertices.len()
    }

    fn slice<'s>(&'s self, range: Range<usize>, scratch: &'s mut Vec<f32>) -> &'s [[f32; N]] {
        scratch.clear();
        for corner in range {
            let value: [f32; N] = self.value(corner);
            scratch.extend_from_slice(&value);
        }
        scratch.as_chunks().0
    }

    fn value(&self, corner: usize) -> [f32; N] {
        let mut value = [0.0; N];
        // Any number below 2^31 - 2^24 becomes a float of its own that equals itself.
        value[0] = f32::from_bits(self.mesh.corner_vertices[corner] + 0x0080_0000);
        let mut at = 1;
        if self.uvs.is_some() {
            value[1..3].copy_from_slice(&self.uv(corner));
            at = 3;
        }
        if self.normals.is_some() {
            value[at..].copy_from_slice(&self.normal(corner));
        }
        value
    }
}
