//! Whether a file has rational curves or surfaces: only these use the fourth coordinate of a vertex, and
//! only in their files are four numbers behind a position `w r g b` instead of `r g b a`.

/// Whether free-form statements are of a rational type (`cstype rat bezier`).
pub(super) fn is_rational(freeform: &[u8]) -> bool {
    freeform.split(|&b| b == b'\n').any(|line| {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        words.next() == Some(b"cstype") && words.next() == Some(b"rat")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_of_curves_tells() {
        assert!(is_rational(b"vp 1\ncstype rat bspline\n"));
        assert!(is_rational(b"cstype  rat\tbezier"));
        assert!(!is_rational(b"cstype bezier\ncurv 0 1 1 2\n"));
        assert!(!is_rational(b""));
    }
}
