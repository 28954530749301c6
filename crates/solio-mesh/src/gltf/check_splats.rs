//! The rules of `KHR_gaussian_splatting`.

use super::accessor::{Accessed, Component};
use super::check::{Checker, is_unit, slack};
use super::document::{PrimitiveJson, SplattingJson};
use crate::splats::khr::{
    KHR_COLOR_SPACES, KHR_GAUSSIAN_SPLATTING, KHR_KERNEL, KHR_MOST_DEGREE, KHR_OPACITY,
    KHR_ROTATION, KHR_SCALE, khr_harmonics_of,
};
use solio_base::Result;

impl Checker<'_> {
    /// What a primitive of splats has, and lacks.
    pub(super) fn splats(
        &mut self,
        what: &str,
        json: &PrimitiveJson,
        splatting: &SplattingJson,
    ) -> Result<()> {
        let used = &self.buffers.document.extensions_used;
        if !used.iter().any(|name| name == KHR_GAUSSIAN_SPLATTING) {
            self.wrong(what, format!("{KHR_GAUSSIAN_SPLATTING} is not in extensionsUsed"));
        }
        if json.mode != 0 {
            self.wrong(what, format!("splats are points, and its mode is {}", json.mode));
        }
        match splatting.kernel.as_deref() {
            Some(KHR_KERNEL) => {}
            Some(kernel) => self.found.notes.push(format!("{what}: the shape \"{kernel}\"")),
            None => self.wrong(what, "splats without a kernel"),
        }
        match splatting.color_space.as_deref() {
            Some(space) if KHR_COLOR_SPACES.contains(&space) => {}
            Some(space) => self.found.notes.push(format!("{what}: the colour space \"{space}\"")),
            None => self.wrong(what, "splats without a colour space"),
        }
        if splatting.extensions.spz.is_some() {
            self.found.notes.push(format!("{what}: the SPZ in it is not looked into"));
            return Ok(());
        }
        let attributes = &json.attributes;
        let needed = [KHR_ROTATION, KHR_SCALE, KHR_OPACITY].map(str::to_owned);
        for name in needed.into_iter().chain(khr_harmonics_of(0)) {
            if !attributes.contains_key(&name) {
                self.wrong(what, format!("splats without {name}"));
            }
        }
        let mut is_lower_whole = true;
        for degree in 1..=KHR_MOST_DEGREE {
            let there = khr_harmonics_of(degree).filter(|name| attributes.contains_key(name));
            let there = there.count();
            if there > 0 && !(is_lower_whole && there == 2 * degree + 1) {
                self.wrong(what, format!("the harmonics of degree {degree} are not complete"));
            }
            is_lower_whole = there == 2 * degree + 1;
        }
        for (name, number) in attributes {
            let Ok(accessor) = Accessed::open(self.buffers, *number) else { continue };
            let is_normalized =
                self.buffers.document.accessors.get(*number as usize).is_some_and(|a| a.normalized);
            self.splat_attribute(&format!("{what}.{name}"), name, &accessor, is_normalized)?;
        }
        Ok(())
    }

    fn splat_attribute(
        &mut self,
        what: &str,
        name: &str,
        accessor: &Accessed<'_>,
        is_normalized: bool,
    ) -> Result<()> {
        use Component::{F32, I8, I16, U8, U16};
        let is_harmonic = name.starts_with(&format!("{KHR_GAUSSIAN_SPLATTING}:SH_DEGREE_"));
        let component = accessor.component;
        let (parts, is_fine) = match name {
            KHR_ROTATION => (4, component == F32 || is_normalized && matches!(component, I8 | I16)),
            KHR_SCALE => (3, matches!(component, F32 | U8 | U16)),
            KHR_OPACITY => (1, component == F32 || is_normalized && matches!(component, U8 | U16)),
            _ if is_harmonic => (3, component == F32),
            _ => return Ok(()),
        };
        if accessor.parts != parts || !is_fine {
            self.wrong(what, "its type is not what it has");
            return Ok(());
        }
        let count = accessor.count;
        match name {
            KHR_ROTATION => {
                let read = accessor.rows::<4>(self.buffers, &|_| ());
                let Some(rows) = self.keep(read, what)? else { return Ok(()) };
                let slack = slack(accessor);
                let bad = rows.iter().filter(|row| !is_unit(&row[..], slack)).count();
                if bad > 0 {
                    let message = format!("{bad} of {count} quaternions do not have the length 1");
                    self.wrong(what, message);
                }
            }
            KHR_SCALE => {
                let read = accessor.rows::<3>(self.buffers, &|_| ());
                let Some(rows) = self.keep(read, what)? else { return Ok(()) };
                let bad = rows.iter().filter(|row| row.iter().any(|size| *size < 0.0)).count();
                if bad > 0 {
                    self.wrong(what, format!("{bad} of {count} sizes are below zero"));
                }
            }
            KHR_OPACITY => {
                let read = accessor.rows::<1>(self.buffers, &|_| ());
                let Some(rows) = self.keep(read, what)? else { return Ok(()) };
                let bad = rows.iter().filter(|[alpha]| !(0.0..=1.0).contains(alpha)).count();
                if bad > 0 {
                    self.wrong(what, format!("{bad} of {count} opacities are not from 0 to 1"));
                }
            }
            _ => {}
        }
        Ok(())
    }
}
