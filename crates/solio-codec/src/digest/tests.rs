use super::*;
use proptest::prelude::*;

/// Text and digests as `xxhsum`, `md5sum`, `sha1sum`, `sha256sum`, `sha512sum`, `b3sum` and the
/// reference tool of ASC MHL print them.
const KNOWN: [(&str, Algorithm, &str); 18] = [
    ("", Algorithm::Xxh128, "99aa06d3014798d86001c324468d497f"),
    ("", Algorithm::Xxh3, "2d06800538d394c2"),
    ("", Algorithm::Xxh64, "ef46db3751d8e999"),
    ("", Algorithm::Md5, "d41d8cd98f00b204e9800998ecf8427e"),
    ("", Algorithm::Sha1, "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ("", Algorithm::Sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (
        "",
        Algorithm::Sha512,
        "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
    ),
    (
        "",
        Algorithm::C4,
        "c459dsjfscH38cYeXXYogktxf4Cd9ibshE3BHUo6a58hBXmRQdZrAkZzsWcbWtDg5oQstpDuni4Hirj75GEmTc1sFT",
    ),
    (FOX, Algorithm::Xxh128, "ddd650205ca3e7fa24a1cc2e3a8a7651"),
    (FOX, Algorithm::Xxh3, "ce7d19a5418fb365"),
    (FOX, Algorithm::Xxh64, "0b242d361fda71bc"),
    (FOX, Algorithm::Md5, "9e107d9d372bb6826bd81d3542a419d6"),
    (FOX, Algorithm::Sha1, "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12"),
    (FOX, Algorithm::Sha256, "d7a8fbb307d7809469ca9abcb0082e4f8d5651e46d3cdb762d02d0bf37c9e592"),
    (
        FOX,
        Algorithm::Sha512,
        "07e547d9586f6a73f73fbac0435ed76951218fb7d0c8d788a309d785436bbb642e93a252a954f23912547d1e8a3b5ed6e1bfd7097821233fa0538f3db854fee6",
    ),
    (
        FOX,
        Algorithm::C4,
        "c41AA3ASLQfdQwGxaam2okv9uTopf28Piy2pskrf6vQ35fsAKCBzQAv31LTcwMcp3hpDqF4vxgvu3UoPSAN4qZ3Ygd",
    ),
    ("", Algorithm::Blake3, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"),
    (FOX, Algorithm::Blake3, "2f1514181aadccd913abd94cfa592701a5686ab23f8df1dff1b74710febc6d4a"),
];

const FOX: &str = "The quick brown fox jumps over the lazy dog";

#[test]
fn digests_are_those_of_the_peers() {
    for (bytes, algorithm, text) in KNOWN {
        let digest = Digest::of(algorithm, bytes.as_bytes());
        assert_eq!(digest.to_string(), text, "{algorithm:?}");
        assert_eq!(Digest::from_text(algorithm, text), Some(digest));
    }
}

#[test]
fn digests_that_begin_with_zeros_keep_their_length() {
    for zeros in 0..=64 {
        let mut bytes = [0xa5; 64];
        bytes[..zeros].fill(0);
        let digest = Digest::new(Algorithm::C4, &bytes);
        let text = digest.to_string();
        assert_eq!(text.len(), 90, "{text}");
        assert_eq!(Digest::from_text(Algorithm::C4, &text), Some(digest));
    }
}

#[test]
fn what_is_no_digest_is_none() {
    let c4 = |rest: &str| Digest::from_text(Algorithm::C4, &format!("c4{rest}"));
    assert!(c4(&"1".repeat(88)).is_some());
    // More than 512 bits, digits that base 58 has not, too short, no head.
    assert!(c4(&"z".repeat(88)).is_none());
    assert!(c4(&"0".repeat(88)).is_none());
    assert!(c4(&"1".repeat(87)).is_none());
    assert!(Digest::from_text(Algorithm::C4, &"1".repeat(90)).is_none());
    assert!(Digest::from_text(Algorithm::Xxh64, "0123456789abcdeg").is_none());
    assert!(Digest::from_text(Algorithm::Xxh64, "0123456789abcde").is_none());
    assert!(Digest::from_text(Algorithm::Md5, "0123456789abcdef").is_none());
    assert!(Digest::from_text(Algorithm::Xxh64, "0123456789ABCDEF").is_some());
}

#[test]
fn names_lead_back() {
    for algorithm in Algorithm::ALL {
        assert_eq!(Algorithm::from_name(&algorithm.name().to_uppercase()), Some(algorithm));
    }
    assert_eq!(Algorithm::from_name("xxh"), None);
}

proptest! {
    #[test]
    fn parts_make_no_difference(bytes: Vec<u8>, cuts: [prop::sample::Index; 3]) {
        let mut cuts = cuts.map(|cut| cut.index(bytes.len() + 1));
        cuts.sort_unstable();
        for algorithm in Algorithm::ALL {
            let mut hasher = Hasher::new(algorithm);
            let mut start = 0;
            for end in cuts.into_iter().chain([bytes.len()]) {
                hasher.update(&bytes[start..end]);
                start = end;
            }
            prop_assert_eq!(hasher.finish(), Digest::of(algorithm, &bytes));
        }
    }

    #[test]
    fn any_text_is_read_without_a_fault(text: String, kind: prop::sample::Index) {
        let algorithm = *kind.get(&Algorithm::ALL);
        if let Some(digest) = Digest::from_text(algorithm, &text) {
            prop_assert_eq!(digest.to_string().to_lowercase(), text.to_lowercase());
        }
    }
}
