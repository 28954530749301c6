use super::*;
use proptest::prelude::*;
use solio_base::{ErrorKind, Limits};

fn hash(algorithm: Algorithm, text: &str) -> Digest {
    Digest::of(algorithm, text.as_bytes())
}

/// All that a manifest can hold.
fn golden() -> Manifest {
    let date = Some("2020-01-16T09:15:00+00:00".to_owned());
    let folder = |text: &str| FolderHash {
        digest: FolderDigest {
            content: hash(Algorithm::Xxh64, text),
            structure: hash(Algorithm::Xxh64, &format!("{text} structure")),
        },
        date: date.clone(),
    };
    let file = |algorithm, action| FileHash {
        digest: hash(algorithm, "file"),
        action: Some(action),
        date: date.clone(),
    };
    Manifest {
        creator: Creator {
            date: "2020-01-16T09:15:00+00:00".into(),
            host: "host <1>".into(),
            tool: "solio".into(),
            tool_version: Some("0.1 \"a\"".into()),
            authors: vec![Author {
                name: Some("A & B".into()),
                role: Some("DIT".into()),
                email: Some("a@b.c".into()),
                phone: Some("1".into()),
            }],
            location: Some("here".into()),
            comment: Some("]]> ä".into()),
        },
        process: "in-place".into(),
        root: vec![folder("root")],
        ignore: IGNORED.map(str::to_owned).to_vec(),
        entries: vec![
            Entry {
                path: "Clips/A 1.mov".into(),
                previous_path: Some("Clips/old.mov".into()),
                modified: date.clone(),
                content: Content::File {
                    size: Some(4),
                    hashes: vec![
                        file(Algorithm::C4, Action::Original),
                        file(Algorithm::Md5, Action::Verified),
                        file(Algorithm::Xxh64, Action::Failed),
                    ],
                },
            },
            Entry {
                path: "Clips".into(),
                previous_path: None,
                modified: date.clone(),
                content: Content::Folder(vec![folder("Clips")]),
            },
        ],
        references: vec![Reference {
            path: "Clips/ascmhl/0001_Clips_2020-01-16_091500Z.mhl".into(),
            digest: hash(Algorithm::C4, "manifest"),
        }],
    }
}

fn golden_chain() -> Chain {
    let link = |number, name: &str| ChainLink {
        number,
        name: name.into(),
        digest: hash(Algorithm::C4, name),
    };
    Chain { links: vec![link(1, "0001_a_2020.mhl"), link(2, "0002_a&b_2020.mhl")] }
}

fn read(text: &[u8]) -> solio_base::Result<Manifest> {
    decode_manifest(text, &Limits::default())
}

fn read_chain(text: &[u8]) -> solio_base::Result<Chain> {
    decode_chain(text, &Limits::default())
}

#[test]
fn what_is_written_is_read() {
    let manifest = golden();
    assert_eq!(read(encode_manifest(&manifest).as_bytes()).unwrap(), manifest);
    let chain = golden_chain();
    assert_eq!(read_chain(encode_chain(&chain).as_bytes()).unwrap(), chain);
}

/// The root and its folder `A` are empty but for one file, as the reference tool sums them up.
#[test]
fn folders_are_summed_up_as_the_reference_does() {
    for (algorithm, content, structure) in FOLDERS {
        let mut inner = FolderHasher::new(algorithm);
        inner.add_file("ä b.txt".as_bytes(), &hash(algorithm, "one"));
        inner.add_file(b"b.txt", &hash(algorithm, "two"));
        let mut outer = FolderHasher::new(algorithm);
        outer.add_folder(b"A", &inner.finish());
        outer.add_folder(b"empty", &FolderHasher::new(algorithm).finish());
        outer.add_file(b"c", &hash(algorithm, ""));
        let FolderDigest { content: c, structure: s } = outer.finish();
        assert_eq!((c.to_string().as_str(), s.to_string().as_str()), (content, structure));
    }
}

/// What the reference tool (ascmhl 1.2) gives.
const FOLDERS: [(Algorithm, &str, &str); 6] = [
    (Algorithm::Xxh64, "fdf6201906b79682", "75477dda91a5025e"),
    (Algorithm::Xxh3, "c1f4b1a90043f475", "b13d96b6d8b2cfde"),
    (Algorithm::Xxh128, "a6b476527e7bd9a2d0b56a198ded1288", "81c9f0fc06373efd5c52c8f58c3ce473"),
    (Algorithm::Md5, "40d1d86d7421eed3dd6dbc4cebcfbc25", "3d58ef33c8babaa1d6ef03e1189945f6"),
    (
        Algorithm::Sha1,
        "a25ef12aede0ba04f8ad236fee1da402ab10c4a6",
        "a4deaeb92be52fef358e1a73d22cc3e197f4488a",
    ),
    (
        Algorithm::C4,
        "c43M46UrsCX68N5vy9Sn5r4bRcVAuRSwaFZpBFehvRFMav7r4uLo1StZhghgLegwC88qGjRGkFQdLRjJJtQDMLiH4T",
        "c45xGLdDMTLfrNivubsupPuYx4cdDU2K7RCP6kLhBVg74XgdhzU3h1cBdpV7zm14tQu6hkoQ45UbqyTPqCRuQsyMZ2",
    ),
];

/// As the reference tool writes them: other order, no sizes, elements nobody knows.
#[test]
fn what_is_not_known_is_passed_over() {
    let text =
        br#"<?xml version="1.0"?><!-- c --><m:hashlist xmlns:m="urn:ASC:MHL:v2.0" version="2.0">
        <m:metadata><x><y a="1"/></x></m:metadata><m:hashes><m:other/>
        <m:hash><m:path>a&#x20;b</m:path><m:sha3>1</m:sha3>
        <m:xxh64 action="odd"> EF46DB3751D8E999 </m:xxh64></m:hash></m:hashes></m:hashlist>"#;
    let manifest = read(text).unwrap();
    assert_eq!(manifest.entries.len(), 1);
    assert_eq!(manifest.entries[0].path, "a b");
    let hashes = manifest.entries[0].file_hashes();
    assert_eq!(hashes.len(), 1);
    assert_eq!((hashes[0].digest, hashes[0].action), (hash(Algorithm::Xxh64, ""), None));
}

#[test]
fn faults_are_told_with_their_place() {
    let whole = encode_manifest(&golden());
    for (old, new, words) in [
        ("<hashlist ", "<hashlost ", "has to be <hashlist>"),
        ("Clips/A 1.mov", "../A 1.mov", "not a path below"),
        ("Clips/A 1.mov", "", "not a path below"),
        ("size=\"4\"", "size=\"-4\"", "size is no number"),
        (">ef", ">xf", "no digest by"),
        ("<path size", "<way size", "not XML"),
        ("&amp;", "&bomb;", "unknown entity"),
        ("</hashes>", "", "not XML"),
    ] {
        let text = if old == ">ef" {
            let digest = hash(Algorithm::Xxh64, "file").to_string();
            whole.replace(&digest, "x")
        } else {
            whole.replacen(old, new, 1)
        };
        assert_ne!(text, whole, "{old}");
        let error = read(text.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(words), "{old}: {error}");
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(error.offset().is_some(), "{error}");
    }
    let deep = format!("<hashlist>{}", "<a>".repeat(100_000));
    assert_eq!(read(deep.as_bytes()).unwrap_err().kind(), ErrorKind::Limit);
    assert!(read(b"").is_err() && read(b"<").is_err() && read(b"hello").is_err());
}

#[test]
fn every_prefix_ends() {
    let text = encode_manifest(&golden());
    let end = text.trim_end().len();
    for cut in 0..end {
        assert!(read(&text.as_bytes()[..cut]).is_err(), "{cut}");
    }
    let text = encode_chain(&golden_chain());
    for cut in 0..text.trim_end().len() {
        assert!(read_chain(&text.as_bytes()[..cut]).is_err(), "{cut}");
    }
}

#[test]
fn every_flipped_bit_ends() {
    let (manifest, chain) = (encode_manifest(&golden()), encode_chain(&golden_chain()));
    for (text, is_chain) in [(manifest, false), (chain, true)] {
        for bit in 0..8 * text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let error = if is_chain { read_chain(&bytes).err() } else { read(&bytes).err() };
            assert!(error.is_none_or(|e| e.offset().is_some()));
        }
    }
}

#[test]
fn names_that_xml_cannot_hold() {
    assert!(can_be_named(" a\u{1f600}&<\">.mov "));
    for name in ["a\n", "\t", "\u{1}", "\u{fffe}"] {
        assert!(!can_be_named(name), "{name:?}");
    }
}

proptest! {
    #[test]
    fn any_path_comes_back(path in "[^/\\p{Cc}\u{fffe}\u{ffff}]{1,20}") {
        prop_assume!(path != "..");
        let mut manifest = golden();
        manifest.entries[0].path = path;
        prop_assert_eq!(read(encode_manifest(&manifest).as_bytes()).unwrap(), manifest);
    }

    #[test]
    fn any_bytes_are_read_without_a_fault(bytes: Vec<u8>) {
        let _ = read(&bytes);
        let _ = read_chain(&bytes);
    }
}
