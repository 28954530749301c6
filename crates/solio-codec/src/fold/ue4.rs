//! Unreal Engine 4's `ToLower`, on all 65,536 codes.
//!
//! The rule: `A`–`Z` and 192–222 except 208 rise by 32, 140 becomes 156, 159 becomes 255, and all
//! else stays. So 215 (×) becomes 247 (÷), which no alphabet wants, and 138 and 142 (Š and Ž of
//! code page 1252) stay as they are; names hashed by the engine depend on that.
//!
//! The look-up table that was published as a faster form of the rule differs from it at one code:
//! it takes 208 (Ð) to 240 (ð). Ours follows the rule, in the table as well.

#[cfg(target_arch = "x86_64")]
use super::ue4_x86::kernel as vectors;
use crate::number::format::usable;
use solio_base::cpu::{Tier, tier};
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// Writes all codes, lowered, to as many places.
pub(super) type LowerCodes = fn(&[u16], &mut [MaybeUninit<u16>]);

/// One code by the rule.
///
/// ```
/// use solio_codec::fold::lower_ue4;
/// assert_eq!([65, 208, 215, 140, 0x0391].map(lower_ue4), [97, 208, 247, 156, 0x0391]);
/// ```
pub const fn lower_ue4(code: u16) -> u16 {
    match code {
        65..=90 | 192..=207 | 209..=222 => code + 32,
        140 => 156,
        159 => 255,
        _ => code,
    }
}

/// Appends the codes, each as [`lower_ue4`] has it.
pub fn fold_ue4(out: &mut Vec<u16>, codes: &[u16]) {
    static KERNEL: OnceLock<LowerCodes> = OnceLock::new();
    fold_by(*KERNEL.get_or_init(|| kernel(tier())), out, codes);
}

/// [`fold_ue4`] with the kernel of a tier (or of the best that this machine has below it).
pub fn fold_ue4_on(tier: Tier, out: &mut Vec<u16>, codes: &[u16]) {
    fold_by(kernel(tier), out, codes);
}

fn kernel(tier: Tier) -> LowerCodes {
    vectors(usable(tier)).unwrap_or(lower)
}

/// There are kernels for x86-64 only.
#[cfg(not(target_arch = "x86_64"))]
fn vectors(_: Tier) -> Option<LowerCodes> {
    None
}

fn fold_by(kernel: LowerCodes, out: &mut Vec<u16>, codes: &[u16]) {
    out.reserve(codes.len());
    kernel(codes, &mut out.spare_capacity_mut()[..codes.len()]);
    // SAFETY: the kernel has written as many codes as it was given.
    unsafe { out.set_len(out.len() + codes.len()) };
}

/// The portable kernel: without branches, so that compilers vectorise it.
fn lower(codes: &[u16], to: &mut [MaybeUninit<u16>]) {
    assert_eq!(codes.len(), to.len());
    for (&code, to) in codes.iter().zip(to) {
        to.write(code | rise(code));
    }
}

/// [`fold_ue4`] as engines do it: a function with branches, called for each code. Only here to be
/// measured beside the others.
pub fn fold_ue4_branchy(out: &mut Vec<u16>, codes: &[u16]) {
    // Inlined, compilers make the branches a few selects, as in `rise`.
    #[inline(never)]
    fn called(code: u16) -> u16 {
        lower_ue4(code)
    }
    out.extend(codes.iter().map(|&code| called(code)));
}

/// [`fold_ue4`] by a table of the first 256 codes. Only here to be measured beside the others.
pub fn fold_ue4_table(out: &mut Vec<u16>, codes: &[u16]) {
    let lower = |code: u16| TABLE.get(usize::from(code)).copied().unwrap_or(code);
    out.extend(codes.iter().map(|&code| lower(code)));
}

static TABLE: [u16; 256] = {
    let mut table = [0; 256];
    let mut code = 0;
    while code < table.len() {
        table[code] = lower_ue4(code as u16);
        code += 1;
    }
    table
};

/// What to set in a code to lower it: the bits of every rise are clear before.
#[inline(always)]
pub(super) fn rise(code: u16) -> u16 {
    let letter = (code.wrapping_sub(65) < 26) | ((code.wrapping_sub(192) < 31) & (code != 208));
    (u16::from(letter) << 5) | (u16::from(code == 140) << 4) | (u16::from(code == 159) * 0x60)
}
