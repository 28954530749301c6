//! What the island consists of: the 20 elements of Moana, and how what there is divides among them.

/// What grows or lies somewhere.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum LayerForm {
    /// Leaves about a stem.
    Leaves,
    /// A pebble, a shell, a branch of coral.
    Lump,
    /// Blades of grass, needles: curves instead of instances.
    Curves,
}

/// A file of instances with their definitions, or of curves.
pub(super) struct TwinLayer {
    pub(super) name: &'static str,
    pub(super) form: LayerForm,
    /// Parts of all instances, or of all curves.
    pub(super) share: u32,
    /// Heights of the ground where it is.
    pub(super) zone: [f64; 2],
}

/// A mesh of its own, in a PLY file.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum UniqueMesh {
    /// The sea.
    Sea,
    /// A ninth of the ground, by row and column.
    Ground(u32, u32),
    /// A rock; so many stand about.
    Rock(u32),
    /// The trunk of a tree; so many stand about.
    Trunk(u32),
    /// Its leaves.
    Crown(u32),
    /// Leaves on the ground; so many stand about.
    Bush(u32),
}

impl UniqueMesh {
    /// What its file is called.
    pub(super) fn name(self) -> &'static str {
        match self {
            Sea => "water",
            Ground(..) => "ground",
            Rock(_) => "rock",
            Trunk(_) => "trunk",
            Crown(_) => "crown",
            Bush(_) => "bush",
        }
    }

    /// How many stand about; 0 where it is no object but lies in the world.
    pub(super) fn copies(self) -> u64 {
        match self {
            Sea | Ground(..) => 0,
            Rock(n) | Trunk(n) | Crown(n) | Bush(n) => n.into(),
        }
    }
}

/// A folder with a scene file of its own, which the scene imports.
pub(super) struct TwinElement {
    pub(super) name: &'static str,
    /// Of its material, linear light.
    pub(super) color: [f64; 3],
    pub(super) zone: [f64; 2],
    pub(super) large: &'static [UniqueMesh],
    pub(super) layers: &'static [TwinLayer],
}

const REEF: [f64; 2] = [-60.0, -4.0];
const SHORE: [f64; 2] = [0.5, 12.0];
const DUNE: [f64; 2] = [4.0, 40.0];
const WOOD: [f64; 2] = [10.0, 120.0];
const SLOPE: [f64; 2] = [40.0, 600.0];

const GREEN: [f64; 3] = [0.08, 0.22, 0.04];
const DRY: [f64; 3] = [0.35, 0.28, 0.14];
const SAND: [f64; 3] = [0.62, 0.52, 0.36];
const STONE: [f64; 3] = [0.12, 0.11, 0.1];

const fn layer(name: &'static str, form: LayerForm, share: u32, zone: [f64; 2]) -> TwinLayer {
    TwinLayer { name, form, share, zone }
}

const fn element(
    name: &'static str,
    color: [f64; 3],
    zone: [f64; 2],
    large: &'static [UniqueMesh],
    layers: &'static [TwinLayer],
) -> TwinElement {
    TwinElement { name, color, zone, large, layers }
}

const fn tree(name: &'static str, color: [f64; 3], layers: &'static [TwinLayer]) -> TwinElement {
    element(name, color, WOOD, &[Trunk(12), Crown(12)], layers)
}

use LayerForm::{Curves, Leaves, Lump};
use UniqueMesh::{Bush, Crown, Ground, Rock, Sea, Trunk};

/// 20 elements with 31 layers and 35 large meshes.
pub(super) static ELEMENTS: [TwinElement; 20] = [
    tree("isBayCedarA1", GREEN, &[layer("xgBonsai", Leaves, 8, WOOD)]),
    element(
        "isBeach",
        SAND,
        SHORE,
        &[Ground(0, 1), Ground(2, 1)],
        &[
            layer("xgGrass", Curves, 10, SHORE),
            layer("xgHibiscus", Leaves, 10, DUNE),
            layer("xgPalmDebris", Leaves, 24, SHORE),
            layer("xgShellsSmall", Lump, 14, SHORE),
            layer("xgSeaweed", Curves, 6, REEF),
            layer("xgPebbles", Lump, 20, SHORE),
        ],
    ),
    element("isCoastline", SAND, SHORE, &[Ground(1, 0), Ground(1, 2)], &[]),
    element(
        "isCoral",
        [0.45, 0.2, 0.16],
        REEF,
        &[Rock(30), Rock(30)],
        &[
            layer("xgFlutes", Lump, 34, REEF),
            layer("xgStaghorn", Lump, 30, REEF),
            layer("xgAntlers", Lump, 22, REEF),
            layer("xgCabbage", Leaves, 18, REEF),
            layer("xgBranches", Lump, 16, REEF),
        ],
    ),
    element(
        "isDunesA",
        SAND,
        DUNE,
        &[Ground(0, 0)],
        &[
            layer("xgPebbles", Lump, 8, DUNE),
            layer("xgGrass", Curves, 30, DUNE),
            layer("xgHibiscusFlower", Leaves, 5, DUNE),
        ],
    ),
    element(
        "isDunesB",
        SAND,
        DUNE,
        &[Ground(0, 2)],
        &[
            layer("xgRoots", Curves, 12, DUNE),
            layer("xgGrass", Curves, 20, DUNE),
            layer("xgDebris", Leaves, 8, DUNE),
        ],
    ),
    tree("isGardeniaA", GREEN, &[layer("xgLeaves", Leaves, 7, WOOD)]),
    tree("isHibiscus", GREEN, &[layer("xgLeaves", Leaves, 6, WOOD)]),
    element("isHibiscusYoung", GREEN, DUNE, &[Bush(20)], &[]),
    tree("isIronwoodA1", GREEN, &[layer("xgNeedles", Curves, 12, WOOD)]),
    tree("isIronwoodB", GREEN, &[layer("xgCones", Lump, 12, WOOD)]),
    tree("isKava", GREEN, &[]),
    element("isLavaRocks", STONE, SHORE, &[Rock(24), Rock(24)], &[]),
    element(
        "isMountainA",
        GREEN,
        SLOPE,
        &[Ground(1, 1), Ground(2, 0)],
        &[
            layer("xgFoliageA", Leaves, 18, SLOPE),
            layer("xgFoliageC", Leaves, 22, SLOPE),
            layer("xgLowGrowth", Leaves, 12, SLOPE),
        ],
    ),
    element(
        "isMountainB",
        GREEN,
        SLOPE,
        &[Ground(2, 2)],
        &[
            layer("xgFoliageA", Leaves, 20, SLOPE),
            layer("xgFoliageB", Leaves, 24, SLOPE),
            layer("xgFoliageC", Leaves, 18, SLOPE),
        ],
    ),
    tree("isNaupakaA", GREEN, &[layer("xgLeaves", Leaves, 6, DUNE)]),
    tree("isPalmDead", DRY, &[]),
    tree("isPalmRig", GREEN, &[layer("xgFrondFibres", Curves, 10, DUNE)]),
    tree("isPandanusA", GREEN, &[layer("xgLeaves", Leaves, 9, DUNE)]),
    element("osOcean", [0.02, 0.08, 0.1], REEF, &[Sea], &[]),
];

/// How much there is in all of Moana; the scale is a factor on each.
const INSTANCES: f64 = 28e6;
const CURVES: f64 = 5e6;
/// Faces in files of their own, of a mesh of share 1; and all triangles in the text.
const LARGE_FACES: f64 = 820e3;
const TEXT_FACES: f64 = 46e6;
/// Triangles of a definition: what makes 28 million instances 15 billion primitives.
const DEFINITION_FACES: f64 = 540.0;

/// How much of what is made.
#[derive(Clone, Copy)]
pub(super) struct Amounts {
    scale: f64,
}

impl Amounts {
    pub(super) fn new(scale: f64) -> Self {
        Amounts { scale }
    }

    fn scaled(self, whole: f64, part: u32, of: u32) -> u64 {
        (whole * self.scale * f64::from(part) / f64::from(of)).round().max(1.0) as u64
    }

    /// Instances, or curves, of a layer.
    pub(super) fn items(self, layer: &TwinLayer) -> u64 {
        let curves = layer.form == Curves;
        let whole = if curves { CURVES } else { INSTANCES };
        let same = layers().filter(|other| (other.form == Curves) == curves);
        self.scaled(whole, layer.share, same.map(|other| other.share).sum())
    }

    /// Definitions of a layer and the triangles of each.
    pub(super) fn definitions(self, layer: &TwinLayer) -> (u64, u64) {
        let same = layers().filter(|other| other.form != Curves);
        let faces = self.scaled(TEXT_FACES, layer.share, same.map(|other| other.share).sum());
        let count = (faces as f64 / DEFINITION_FACES).round().max(1.0) as u64;
        (count, (faces / count).max(8))
    }

    /// Faces of a large mesh.
    pub(super) fn faces(self, large: UniqueMesh) -> u64 {
        let share = match large {
            Sea | Ground(..) => 4,
            Rock(_) => 3,
            Trunk(_) => 1,
            Crown(_) | Bush(_) => 2,
        };
        self.scaled(LARGE_FACES, share, 1).max(24)
    }
}

/// All layers.
pub(super) fn layers() -> impl Iterator<Item = &'static TwinLayer> {
    ELEMENTS.iter().flat_map(|element| element.layers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_files_as_in_the_twin_that_was_measured() {
        let meshes: usize = ELEMENTS.iter().map(|element| element.large.len()).sum();
        // The scene, its camera and its lights; the elements; the layers.
        assert_eq!((3 + ELEMENTS.len() + layers().count(), meshes), (54, 35));
        let amounts = Amounts::new(1.0 / 80.0);
        let instanced = |layer: &&TwinLayer| layer.form != Curves;
        let instances: u64 = layers().filter(instanced).map(|layer| amounts.items(layer)).sum();
        assert!(instances.abs_diff(350_000) < 40, "{instances}");
        let mut names: Vec<_> = ELEMENTS.iter().map(|element| element.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 20);
    }
}
