//! Numbers of parameters by what they mean: points beside points, normals beside normals.
//!
//! A scene of many small meshes has points, normals and texture coordinates in turn. In the file
//! they stand apart, so that the planes of a section have bytes of one sort: floats of a twin take
//! 1.9 bytes each in place of 2.2. Which number goes where follows from the parameters alone.

use crate::pbrt::{Parameter, ParameterType, Values};
use std::ops::Range;

/// What numbers mean, in the order of the file: points, normals, pairs, points of parameters with
/// few of them (curves), others.
pub(super) const SORTS: usize = 5;
/// Numbers of columns that are tried for each.
pub(super) const COLUMNS: [&[u32]; SORTS] =
    [&[3, 9, 12], &[3], &[2, 4], &[3, 12], &[1, 2, 3, 4, 12]];
/// Fewer numbers of points are few.
const MANY: usize = 64;

/// Where the numbers of each sort are in their array, rising.
pub(super) type SortRanges = [Vec<Range<u32>>; SORTS];

fn sort(parameter: &Parameter, count: usize) -> usize {
    match parameter.kind {
        ParameterType::Point3 | ParameterType::Vector3 if count >= MANY => 0,
        ParameterType::Normal => 1,
        ParameterType::Point2 | ParameterType::Vector2 => 2,
        ParameterType::Point3 | ParameterType::Vector3 => 3,
        _ => 4,
    }
}

/// Takes an array of `count` numbers apart. Parameters whose numbers do not follow those of the ones
/// before count for nothing, so that every number is in one part.
pub(super) fn parts(parameters: &[Parameter], count: usize) -> SortRanges {
    let mut parts = SortRanges::default();
    let mut add = |sort: usize, range: Range<u32>| match parts[sort].last_mut() {
        _ if range.is_empty() => {}
        Some(last) if last.end == range.start => last.end = range.end,
        _ => parts[sort].push(range),
    };
    let mut next = 0;
    for parameter in parameters {
        if let Values::Floats(span) = parameter.values
            && next <= span.start
            && span.start <= span.end
            && span.end as usize <= count
        {
            add(SORTS - 1, next..span.start);
            add(sort(parameter, span.count()), span.start..span.end);
            next = span.end;
        }
    }
    add(SORTS - 1, next..count as u32);
    parts
}

/// The numbers of some parts.
pub(super) fn gather(values: &[f32], parts: &[Range<u32>]) -> Vec<f32> {
    let mut to = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
    for part in parts {
        to.extend_from_slice(&values[part.start as usize..part.end as usize]);
    }
    to
}

/// Where the numbers of all parts belong, in the order of the file; `to` has as many as the parts
/// together.
pub(super) fn places<'v>(mut to: &'v mut [f32], parts: &SortRanges) -> Vec<&'v mut [f32]> {
    let mut of_sorts = parts.each_ref().map(|parts| (parts.iter().peekable(), Vec::new()));
    let mut at = 0;
    // Each part begins where the one before ended.
    while !to.is_empty() {
        let mut found = None;
        for (parts, places) in &mut of_sorts {
            if let Some(part) = parts.next_if(|part| part.start == at) {
                found = Some((part, places));
                break;
            }
        }
        let Some((part, places)) = found else { break };
        let (numbers, behind) = to.split_at_mut(part.len());
        places.push(numbers);
        (to, at) = (behind, part.end);
    }
    of_sorts.into_iter().flat_map(|(_, places)| places).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pbrt::Span;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_spans_are_sorted_and_back(
            spans in prop::collection::vec((0u32..300, 0u32..300, 0usize..5), 0..20),
            count in 0usize..300,
        ) {
            use ParameterType::*;
            let parameter = |(start, end, kind): (u32, u32, usize)| Parameter {
                at: 0,
                kind: [Point3, Normal, Point2, Vector3, Rgb][kind],
                name: Span::default(),
                values: Values::Floats(Span { start, end }),
                older_form: false,
            };
            let parameters: Vec<Parameter> = spans.into_iter().map(parameter).collect();
            let values: Vec<f32> = (0..count).map(|i| i as f32).collect();
            let parts = parts(&parameters, count);
            let sorted: Vec<f32> = parts.iter().flat_map(|parts| gather(&values, parts)).collect();
            let mut back = vec![f32::NAN; count];
            let mut rest = &sorted[..];
            for place in places(&mut back, &parts) {
                let (numbers, behind) = rest.split_at(place.len());
                place.copy_from_slice(numbers);
                rest = behind;
            }
            prop_assert_eq!(back, values);
        }
    }
}
