//! Texts of films that come in several languages.
//!
//! QuickTime File Format, "Language Code Values" and "Metadata Item List Atom".

use crate::gather::Gather;
use crate::rule::TagRule;
use crate::value::Value;
use std::borrow::Cow;

/// The languages of the old Macintosh by their numbers, from 0.
const OF_MACINTOSH: &str = "en fr de it nl-NL sv es da pt no he ja ar fi el is mt tr hr zh-TW ur hi th ko lt pl hu et lv \
     smi fo fa ru zh-CN nl-BE ga sq ro cs sk sl yi sr mk bg uk be uz kk az az hy ka ro ky tg tk \
     mn-MN mn-CN ps ku ks sd bo ne sa mr bn as gu pa or ml kn ta te si my km lo vi id tl ms-MY \
     ms-BN am ti om so sw rw rn ny mg eo";
/// Those from 128; none has 143.
const FROM_128: &str = "cy eu ca la qu gn ay tt ug dz jv su gl af br - gd gv ga to el kl az";

/// A language that is not that of most: none, or English.
pub(super) type Foreign = Option<Cow<'static, str>>;

/// The language of a number: three letters of five bits each; the old Macintosh's are lower.
pub(super) fn name(code: u16) -> Option<Cow<'static, str>> {
    let of_list = |list: &'static str, number: u16| {
        list.split_whitespace().nth(number.into()).filter(|name| *name != "-").map(Cow::Borrowed)
    };
    match code {
        ..128 => of_list(OF_MACINTOSH, code),
        128..0x400 => of_list(FROM_128, code - 128),
        _ => letters(code).map(Cow::Owned),
    }
}

fn letters(code: u16) -> Option<String> {
    let letters = [10, 5, 0].map(|shift| b'`' + (code >> shift & 31) as u8);
    letters.iter().all(u8::is_ascii_lowercase).then(|| letters.map(char::from).iter().collect())
}

/// The language of a text of user data.
pub(super) fn of_text(code: u16) -> Foreign {
    match (code, name(code)) {
        (0x7fff, _) => Some("un".into()),
        (0x400.., None) => Some("err".into()),
        (_, name) => name.filter(|name| !matches!(&**name, "en" | "eng" | "und")),
    }
}

/// The language of an item of a list, and its country: two letters, or none.
pub(super) fn of_item(country: [u8; 2], code: u16) -> Foreign {
    // Low numbers point into a list, which nobody has.
    let language = if code < 0x100 { None } else { of_text(code.max(0x400)) };
    if !country.iter().all(u8::is_ascii_uppercase) {
        return language;
    }
    let country = String::from_utf8_lossy(&country).into_owned();
    Some(format!("{}-{country}", language.as_deref().unwrap_or("und")).into())
}

/// Texts on their way.
#[derive(Default)]
pub(super) struct Texts {
    /// Groups and names of texts that are the main ones.
    main: Vec<[Cow<'static, str>; 2]>,
    /// Of names in other languages the first text, for those that have no other.
    firsts: Vec<([Cow<'static, str>; 2], Value, TagRule)>,
}

impl Texts {
    /// Keeps a text: as `Title`, or of another language as `Title-deu`.
    pub(super) fn add(
        &mut self,
        [group, name]: [Cow<'static, str>; 2],
        language: Foreign,
        value: Value,
        rule: TagRule,
        gather: &mut Gather<'_>,
    ) {
        let key = [group.clone(), name.clone()];
        let Some(language) = language else {
            if !self.main.contains(&key) {
                self.main.push(key);
            }
            return gather.put(group, name, value, rule);
        };
        if self.firsts.iter().all(|(first, ..)| *first != key) {
            self.firsts.push((key, value.clone(), rule));
        }
        gather.put(group, format!("{name}-{language}"), value, rule);
    }

    /// A text that is there in other languages alone is the main one, too.
    pub(super) fn end(self, gather: &mut Gather<'_>) {
        for (key, value, rule) in self.firsts {
            if !self.main.contains(&key) && gather.find(&key[0], &key[1]).is_none() {
                let [group, name] = key;
                gather.put(group, name, value, rule);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_have_their_names() {
        let text = |code| of_text(code).map(Cow::into_owned);
        for (code, name) in [
            (0, None),
            (2, Some("de")),
            (94, Some("eo")),
            (100, None),
            (128, Some("cy")),
            (130, Some("ca")),
            (143, None),
            (150, Some("az")),
            (200, None),
            (0x15c7, None),
            (0x10b5, Some("deu")),
            (0x55c4, None),
            (0x7fff, Some("un")),
            (0x400, Some("err")),
        ] {
            assert_eq!(text(code).as_deref(), name, "{code:#x}");
        }
        let item = |country, code| of_item(country, code).map(Cow::into_owned);
        assert_eq!(item([0, 0], 1), None);
        assert_eq!(item([0, 0], 300).as_deref(), Some("err"));
        assert_eq!(item([0, 0], 0x10b5).as_deref(), Some("deu"));
        assert_eq!(item(*b"GB", 0x15c7).as_deref(), Some("und-GB"));
        assert_eq!(item(*b"DE", 0x10b5).as_deref(), Some("deu-DE"));
    }
}
