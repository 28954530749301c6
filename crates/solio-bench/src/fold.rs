//! `solio-bench io`: case folding of file names, one core, each way to do it beside the first of the
//! same work.
//!
//! Input and output stay in the first-level cache, as paths do.

use crate::KernelBenchArgs;
use crate::report::BenchReport;
use crate::turns::BenchTurns;
use serde_json::json;
use solio::cpu;
use solio_cli::Outcome;
use solio_codec::fold;
use std::hint::black_box;

/// A path of 64 characters, as Unreal Engine's packages have them.
const PATH: &[u8; 64] = b"../../../MyGame/Content/Characters/Hero/T_Hero_BaseColor.uasset ";
/// Paths in a whole block.
const PATHS: usize = 64;

/// Folds all inputs, one call each; returns whether the last answer was right.
type FoldCalls = Box<dyn Fn(bool) -> bool>;

struct FoldWay {
    name: String,
    /// Of all inputs.
    bytes: usize,
    run: FoldCalls,
}

/// `solio-bench io`: every way on every tier that this machine has.
///
/// # Panics
/// When an answer is wrong.
pub(crate) fn run(args: &KernelBenchArgs) -> Outcome {
    let rounds = if args.quick { 21 } else { 101 };
    let mut report = BenchReport::new(args.json);
    for (work, calls, ways) in [
        ("UE4, 4096 codes", 1, ue4_ways(1, 64 * PATHS)),
        ("UE4, paths of 64 codes", PATHS, ue4_ways(PATHS, 64)),
        ("ASCII paths of 64 bytes", PATHS, path_ways(&text(""))),
        ("paths with ÄÖ", PATHS, path_ways(&text("ÄÖ"))),
    ] {
        let bytes = ways[0].bytes;
        for way in &ways {
            let right = |way: &FoldWay, whole| {
                assert!((way.run)(whole), "{work}, {}: wrong answer", way.name);
            };
            ways.iter().for_each(|way| right(way, true));
            let (mut ours, mut first) = (|| right(way, false), || right(&ways[0], false));
            let turns = BenchTurns::of_kernels(rounds, calls, &mut ours, &mut first);
            let answer = format!("{bytes} bytes as expected");
            let more = json!({ "way": way.name, "bytes": bytes / calls, "answer": answer });
            report.add(turns.row(&format!("fold {work}"), &ways[0].name, more));
        }
    }
    report.end("One core; the times are of a call, the peer is the first way of the same work.")
}

/// A way to fold each of `inputs`. All answers are looked at when asked to, the lengths always.
fn way<T: Copy + PartialEq + 'static>(
    name: &str,
    inputs: &[Vec<T>],
    expected: &[Vec<T>],
    fold: impl Fn(&mut Vec<T>, &[T]) + 'static,
) -> FoldWay {
    let (inputs, expected) = (inputs.to_vec(), expected.to_vec());
    let bytes = inputs.iter().map(|input| size_of_val(&input[..])).sum();
    let out = std::cell::RefCell::new(Vec::new());
    let run = move |whole: bool| {
        let mut out = out.borrow_mut();
        let mut right = true;
        for (input, expected) in inputs.iter().zip(&expected) {
            out.clear();
            fold(&mut out, black_box(input));
            let out = black_box(&out[..]);
            right &= out.len() == expected.len() && (!whole || out == expected);
        }
        right
    };
    FoldWay { name: name.into(), bytes, run: Box::new(run) }
}

/// Unreal Engine's folding of `calls` inputs of `len` codes.
fn ue4_ways(calls: usize, len: usize) -> Vec<FoldWay> {
    // A few letters of Latin-1 among the ASCII, one of them beyond the rule's codes.
    let code = |i: usize| match i % 61 {
        7 => [0xc4, 0xd6, 0xdf, 0x416][i / 61 % 4],
        _ => u16::from(PATH[i % 64]),
    };
    let inputs: Vec<Vec<u16>> =
        (0..calls).map(|call| (0..len).map(|i| code(call * len + i)).collect()).collect();
    let lower = |codes: &Vec<u16>| codes.iter().map(|&code| fold::lower_ue4(code)).collect();
    let expected: Vec<Vec<u16>> = inputs.iter().map(lower).collect();
    let mut ways = vec![
        way("table", &inputs, &expected, fold::fold_ue4_table),
        way("branches", &inputs, &expected, fold::fold_ue4_branchy),
    ];
    for tier in cpu::available() {
        let name = format!("vectors, {}", tier.name());
        let fold = move |out: &mut Vec<u16>, codes: &[u16]| fold::fold_ue4_on(tier, out, codes);
        ways.push(way(&name, &inputs, &expected, fold));
    }
    ways.push(way("vectors, in force", &inputs, &expected, fold::fold_ue4));
    ways.push(way("copy", &inputs, &inputs, |out, codes| out.extend_from_slice(codes)));
    ways
}

/// The paths, each ending with its number and `more`.
fn text(more: &str) -> Vec<Vec<u8>> {
    let path = |i: usize| [&PATH[..61 - more.len()], format!("{i:03}{more}").as_bytes()].concat();
    (0..PATHS).map(path).collect()
}

/// Folding of UTF-8.
fn path_ways(inputs: &[Vec<u8>]) -> Vec<FoldWay> {
    let lower = |path: &Vec<u8>| String::from_utf8_lossy(path).to_lowercase().into_bytes();
    let expected: Vec<Vec<u8>> = inputs.iter().map(lower).collect();
    let ascii: Vec<Vec<u8>> = inputs.iter().map(|path| path.to_ascii_lowercase()).collect();
    let std_ascii = |out: &mut Vec<u8>, path: &[u8]| {
        out.extend_from_slice(path);
        out.make_ascii_lowercase();
    };
    let mut ways = vec![way("std, ASCII only", inputs, &ascii, std_ascii)];
    for tier in cpu::available() {
        let name = format!("Unicode, {}", tier.name());
        let fold = move |out: &mut Vec<u8>, path: &[u8]| fold::fold_path_on(tier, out, path);
        ways.push(way(&name, inputs, &expected, fold));
    }
    ways.push(way("Unicode, in force", inputs, &expected, fold::fold_path));
    ways.push(way("copy", inputs, inputs, |out, path| out.extend_from_slice(path)));
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_gives_the_right_answer() {
        for way in ue4_ways(3, 64).into_iter().chain(ue4_ways(1, 4096)) {
            assert!((way.run)(true), "{}", way.name);
        }
        for way in path_ways(&text("")).into_iter().chain(path_ways(&text("ÄÖ"))) {
            assert!((way.run)(true), "{}", way.name);
        }
        assert!(text("ÄÖ").iter().chain(&text("")).all(|path| path.len() == 64));
    }
}
