//! What the common mistakes are answered with: file, place, what is wrong, what to do.

#![allow(clippy::disallowed_methods)] // tests write their own files

mod ran;

use ran::{in_words_of_linux, run as solio};

const CASES: [(&str, i32, &str); 54] = [
    (
        "info a.png",
        1,
        "solio: a.png: the header of the image is incomplete\n  hint: solio check says where the file ends\n",
    ),
    (
        "info none.obj",
        1,
        "solio: none.obj: cannot open: No such file or directory (os error 2)\n  hint: check the name; \
         solio ls lists a folder\n",
    ),
    (
        "convert shots -o a.png",
        1,
        "solio: shots: cannot open: this is a directory\n  hint: name the files in it; ls, check, meta, \
         scan, dup, hash, sheet and read take folders\n",
    ),
    (
        "convert tri.obj -o tri.xyz",
        2,
        "solio: tri.xyz: the name does not tell the format to write\n  hint: use an extension such as .obj or \
         .png, or add --format; solio help formats\n",
    ),
    (
        "convert tri.obj -o shots",
        2,
        "solio: shots: the output is a folder, which does not tell the format\n  hint: add --format obj, ply, \
         stl, off, gltf, glb, splat, spz or sog\n",
    ),
    (
        "convert tri.obj -o none/tri.ply",
        1,
        "solio: none/tri.ply: cannot create: No such file or directory (os error 2)\n  hint: make the \
         folder first, or end the output with / where it is to be one\n",
    ),
    (
        "convert tri.obj bad.obj -o one.ply",
        2,
        "solio: one.ply: 2 inputs, but one output\n  hint: name a folder: -o out/\n",
    ),
    (
        "convert tri.obj -o tri.png",
        2,
        "solio: tri.obj: a mesh cannot become an image\n  hint: solio sheet draws meshes: solio sheet \
         a.obj -o a.png\n",
    ),
    (
        "convert a.png -o a.ply",
        2,
        "solio: a.png: an image cannot become a mesh\n  hint: name an image, such as -o \
         out.exr\n",
    ),
    ("info bad.obj", 1, "solio: bad.obj:2:7: `x` is not a number (byte 14)\n"),
    (
        "info cut.exr",
        1,
        "solio: cut.exr: byte 6: the data ends 2 bytes early, inside the version\n",
    ),
    (
        "pack note.txt -o a.solio",
        2,
        "solio: note.txt: neither an OpenEXR image nor a scene (.pbrt)\n  hint: solio help shrink tells \
         how other files get smaller\n",
    ),
    (
        "info",
        2,
        "solio: no input files given\n  hint: name files, or give a list with --files-from\n",
    ),
    (
        "convert tri.obj",
        2,
        "solio: the following required arguments were not provided: --output <PATH>\n  hint: name the \
         output behind -o; solio help convert lists all options\n",
    ),
    ("convert tri.obj -o named.glb --format obj", 0, ""),
    (
        "convert tri.obj -o a.usda",
        2,
        "solio: a.usda: only a scene (.pbrt, .solio) becomes such a file\n  hint: a mesh becomes .obj, .ply, \
         .stl, .off, .gltf, .glb, .splat, .spz or .sog; solio help formats\n",
    ),
    (
        "set --deep a=b",
        2,
        "solio: unexpected argument '--deep' found\n  hint: --deep is an option of scan, check; solio \
         help set lists all options\n",
    ),
    (
        "frobnicate",
        2,
        "solio: unrecognized subcommand 'frobnicate'\n  hint: solio help lists all commands\n",
    ),
    ("ls none.####.exr", 3, "solio: none.####.exr: nothing matches this pattern\n"),
    (
        "gradient nocolour",
        2,
        "solio: nocolour: 1:1: no colour: no such name\n  hint: give stops (\"black, white 40%, blue\"), a \
         name of `solio gradient --list`, or a file\n",
    ),
    (
        "gradient red,lime --compare -o a.css",
        2,
        "solio: --compare does nothing for gradient files but with --json\n  hint: name a picture or a \
         page: -o compare.png, or leave it out\n",
    ),
    (
        "gradient red,lime --samples 9",
        2,
        "solio: --samples does nothing but for --json and .cube files\n  hint: add --json, name the output \
         .cube, or leave it out\n",
    ),
    (
        "gradient red,lime -o a.cube --samples 65537",
        2,
        "solio: a.cube: a .cube file holds 2 to 65536 samples, not 65537\n",
    ),
    (
        "gradient red,lime -o a.svg --fit",
        2,
        "solio: --fit does nothing but for Unity's files\n  hint: name the output .gradients, or leave it \
         out\n",
    ),
    (
        "gradient red,lime --size 64x8",
        2,
        "solio: --size does nothing but for pictures\n  hint: name the output .png or .exr, or leave it \
         out\n",
    ),
    (
        "sheet shots -o a.png --title props",
        2,
        "solio: --title does nothing for pictures, which have no heading\n  hint: name the output .html, \
         or leave it out\n",
    ),
    (
        "sheet empty -o a.pdf",
        2,
        "solio: a.pdf: sheets are pages or pictures\n  hint: name it .html or .png\n",
    ),
    (
        "study --how bucket --medium . -- true",
        2,
        "solio: --medium does nothing without --how cgroup\n  hint: add --how cgroup, or leave it out\n",
    ),
    (
        "study --how bucket -o a.json -- true",
        2,
        "solio: a.json: what is written here is a page\n  hint: end its name in .html\n",
    ),
    (
        "study --how bucket -o none/a.html -- true",
        2,
        "solio: none: there is no such folder for the page\n  hint: make it first: mkdir -p none\n",
    ),
    ("dup empty", 3, "solio: there are no files\n"),
    (
        "hash --mhl --min-size 1K shots",
        2,
        "solio: --min-size does nothing here\n  hint: a history has all files but those that --exclude leaves \
         out\n",
    ),
    (
        "hash -q tri.obj",
        2,
        "solio: --quiet does nothing here\n  hint: it is of --mhl and --verify\n",
    ),
    (
        "hash --verify -a md5 shots",
        2,
        "solio: --algorithm does nothing here\n  hint: a history says how its files were hashed\n",
    ),
    (
        "convert tri.obj -o tri.ply --exposure 2",
        2,
        "solio: --exposure does nothing for meshes\n  hint: leave it out; solio help convert lists it under \
         \"Images\"\n",
    ),
    (
        "convert cut.exr -o b.exr --up-axis Z",
        2,
        "solio: --up-axis does nothing for images\n  hint: leave it out; solio help convert lists it under \
         \"Writing (names as in Blender's exporters)\"\n",
    ),
    (
        "convert a.pbrt -o b.pbrt --strict",
        2,
        "solio: --strict does nothing for scenes\n  hint: leave it out; solio help convert lists it under \
         \"Reading\"\n",
    ),
    (
        "convert a.pbrt -o b.usda --meshes ply",
        2,
        "solio: --meshes does nothing for scenes that are not written as .pbrt\n  hint: leave it out; solio \
         help convert lists it under \"Scenes\"\n",
    ),
    (
        "convert tri.obj -o b.obj --ascii",
        2,
        "solio: --ascii does nothing for OBJ\n  hint: leave it out; it is of PLY and STL\n",
    ),
    (
        "convert tri.obj -o b.obj.gz --export-colors=linear",
        2,
        "solio: the colours of an OBJ are sRGB\n  hint: --export-colors=srgb, or leave it out\n",
    ),
    (
        "convert tri.obj -o out --format stl --digits 3",
        2,
        "solio: --digits does nothing for binary STL\n  hint: add --ascii, or leave it out\n",
    ),
    ("convert tri.obj -o b.stl --ascii --digits 3", 0, ""),
    (
        "convert tri.obj -o b.off --digits 3",
        2,
        "solio: --digits does nothing for OFF\n  hint: leave it out; it is of OBJ, PLY and STL\n",
    ),
    (
        "convert tri.obj -o b.stl --export-uv",
        2,
        "solio: --export-uv does nothing for STL\n  hint: leave it out; it is of OBJ and PLY\n",
    ),
    (
        "convert tri.obj -o b.ply --level 3",
        2,
        "solio: --level does nothing for what is not compressed\n  hint: add --compress, name the output \
         .gz or .zst, or leave it out\n",
    ),
    ("convert tri.obj -o b.ply.gz --level 3", 0, ""),
    ("convert tri.obj -o b.ply --compress zst --level 3", 0, ""),
    (
        "info cut.exr a.pbrt --double",
        2,
        "solio: --double does nothing for files that are no meshes\n  hint: leave it out; solio help info \
         lists it under \"Reading\"\n",
    ),
    (
        "preview cut.exr -o b.png --samples 2",
        2,
        "solio: --samples does nothing for images\n  hint: leave it out; solio help preview lists it under \
         \"Scenes and meshes\"\n",
    ),
    (
        "preview tri.obj -o b.png --part 0",
        2,
        "solio: --part does nothing for scenes and meshes\n  hint: leave it out; solio help preview lists \
         it under \"Seeing\"\n",
    ),
    (
        "preview tri.obj -o b.exr --exposure 1",
        2,
        "solio: --exposure does nothing for previews in OpenEXR, which keep light as it is\n  hint: leave \
         it out; solio help preview lists it under \"Seeing\"\n",
    ),
    (
        "preview a.pbrt -o b.png --up-axis Z",
        2,
        "solio: --up-axis does nothing for scenes, which have a camera\n  hint: leave it out; solio help \
         preview lists it under \"Scenes and meshes\"\n",
    ),
    (
        "convert tri.obj -o tri.png --up-axis Z",
        2,
        "solio: tri.obj: a mesh cannot become an image\n  hint: solio sheet draws meshes: solio sheet a.obj \
         -o a.png\n",
    ),
    (
        "unpack none.solio -o out",
        1,
        "solio: none.solio: cannot open: No such file or directory (os error 2)\n  hint: check the name; \
         solio ls lists a folder\n",
    ),
];

#[test]
fn mistakes_are_answered_in_one_style() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::create_dir(dir.join("shots")).unwrap();
    std::fs::create_dir(dir.join("empty")).unwrap();
    for (name, text) in [
        ("tri.obj", &b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"[..]),
        ("bad.obj", b"v 0 0 0\nv 1 0 x\nf 1 2 2\n"),
        ("note.txt", b"hello\n"),
        ("cut.exr", b"\x76\x2f\x31\x01\x02\0"),
        ("a.png", b"\x89PNG\r\n\x1a\n"),
    ] {
        std::fs::write(dir.join(name), text).unwrap();
    }
    let mut wrong = Vec::new();
    for (line, code, expected) in CASES {
        let words: Vec<&str> = line.split(' ').collect();
        let ran = solio(dir, &words, b"");
        let err = in_words_of_linux(&ran.err);
        if (ran.code, err.as_str()) != (code, expected) {
            wrong.push(format!("{line}: {}\n{err}wanted {code}\n{expected}", ran.code));
        }
        assert!(ran.out.is_empty(), "{line}: {}", ran.text());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
