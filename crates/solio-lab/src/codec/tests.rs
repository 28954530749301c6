use super::*;
use proptest::prelude::*;

fn all(value: ValueType, channels: usize) -> Vec<Method> {
    let mut methods = vec![
        Method::Zlib(1),
        Method::Zlib(9),
        Method::ZlibRs(4),
        Method::Libdeflate(6),
        Method::Libdeflate(12),
        Method::Zstd(-5),
        Method::Zstd(1),
        Method::Zstd(19),
        Method::Lz4,
        Method::Lz4Hc(9),
        Method::Pco(8),
        Method::Solio(Effort::Fast),
        Method::Solio(Effort::Thorough),
        Method::Solio(Effort::Max),
        Method::Meshopt(2),
    ];
    #[cfg(feature = "zfp")]
    methods.extend([Method::ZfpFloat, Method::ZfpInteger]);
    methods.retain(|method| method.suits(value, channels));
    methods
}

/// Packs and unpacks twice with the same codec; gives the packed bytes.
fn there_and_back(
    mut codec: Box<dyn Codec>,
    shape: &FilterShape,
    raw: &[u8],
    what: &str,
) -> Vec<u8> {
    let mut packed = vec![0; codec.bound(shape)];
    let mut length = 0;
    for _ in 0..2 {
        length = codec.encode(shape, raw, &mut packed).unwrap();
        let mut again = vec![0x55; raw.len()];
        codec.decode(shape, &packed[..length], &mut again).unwrap();
        assert_eq!(again, raw, "{what}, {shape:?}");
    }
    packed.truncate(length);
    packed
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_bit_comes_back(
        noise in prop::collection::vec(any::<u8>(), 8 * 5 * 3 * 30),
        (rows, channels, width) in (1usize..5, 1usize..4, 1usize..30),
        which in 0..ValueType::ALL.len(),
    ) {
        let value = ValueType::ALL[which];
        let shape = FilterShape { bytes: value.bytes(), planes: 1, rows, channels, width };
        let mut raw = noise[..shape.size_bytes()].to_vec();
        // Integers of ZFP have 30 bits.
        if value.bytes() == 4 {
            raw.chunks_exact_mut(4).for_each(|bytes| bytes[3] &= 0x1f);
        }
        // A conversion to 32 bits and back makes some NaN of 16 bits another one.
        if value == ValueType::F16 {
            raw.chunks_exact_mut(2).for_each(|bytes| bytes[1] &= 0xbf);
        }
        for method in all(value, channels) {
            let codec = method.codec(value).unwrap();
            there_and_back(codec, &shape, &raw, &format!("{method:?} of {value:?}"));
        }
    }
}

#[test]
fn what_is_smooth_shrinks() {
    for value in ValueType::ALL {
        let number = |i: usize| 1000.0 + (i as f64 * 0.01).sin() * 100.0;
        let raw: Vec<u8> = (0..64 * 3 * 50)
            .flat_map(|i| match value {
                ValueType::U8 => vec![(number(i) / 20.0) as u8],
                ValueType::U16 => (number(i) as u16).to_le_bytes().to_vec(),
                ValueType::U32 => (number(i) as u32).to_le_bytes().to_vec(),
                ValueType::U64 => (number(i) as u64).to_le_bytes().to_vec(),
                ValueType::F16 => half::f16::from_f64(number(i)).to_le_bytes().to_vec(),
                ValueType::F32 => (number(i) as f32).to_le_bytes().to_vec(),
                ValueType::F64 => number(i).to_le_bytes().to_vec(),
            })
            .collect();
        let shape =
            FilterShape { bytes: value.bytes(), planes: 1, rows: 50, channels: 3, width: 64 };
        for method in all(value, 3) {
            let codec = method.codec(value).unwrap();
            let packed = there_and_back(codec, &shape, &raw, &format!("{method:?}")).len();
            // LZ77 alone finds nothing in floats; integers of ZFP cannot hold all of them.
            assert!(packed < raw.len() + raw.len() / 8, "{method:?} {value:?}: {packed}");
        }
        let then = Then::zstd(Method::Meshopt(2).codec(value).unwrap(), 1).unwrap();
        let packed = there_and_back(Box::new(then), &shape, &raw, "then zstd").len();
        assert!(packed < raw.len(), "{value:?}: {packed}");
    }
}

#[test]
fn bytes_of_zlib_are_read_by_the_others() {
    let raw: Vec<u8> = (0..5000u32).flat_map(|i| (i / 7).to_le_bytes()).collect();
    let shape = bytes_shape(raw.len());
    let methods = [Method::Zlib(6), Method::ZlibRs(6), Method::Libdeflate(6)];
    for writer in methods {
        let codec = writer.codec(ValueType::U8).unwrap();
        let packed = there_and_back(codec, &shape, &raw, "zlib");
        for reader in methods {
            let mut again = vec![0; raw.len()];
            reader.codec(ValueType::U8).unwrap().decode(&shape, &packed, &mut again).unwrap();
            assert!(again == raw, "{writer:?} {reader:?}");
            let mut codec = reader.codec(ValueType::U8).unwrap();
            assert!(codec.decode(&shape, &packed[..packed.len() / 2], &mut again).is_err());
        }
    }
}
