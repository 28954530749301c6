//! Enums whose values have names.

/// Declares an enum of plain values together with their names: `ALL` has all of them in this order,
/// the first function gives the name of one, the second, where it is wanted, the one of a name.
///
/// ```
/// solio_kinds::named_enum! {
///     /// Which way round.
///     #[derive(Default)]
///     pub enum Turn {
///         /// With the clock.
///         #[default]
///         Right = "right",
///         /// Against it.
///         Left = "left",
///     }
///
///     /// As people say it.
///     pub fn name;
///
///     /// That of this name.
///     pub fn of_name;
/// }
/// assert_eq!(Turn::ALL.map(Turn::name), ["right", "left"]);
/// assert_eq!(Turn::of_name("left"), Some(Turn::Left));
/// assert_eq!(Turn::of_name("up"), None);
/// ```
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$about:meta])*
        $visible:vis enum $type:ident {
            $($(#[$of_value:meta])* $value:ident = $text:literal,)*
        }

        $(#[$of_name:meta])*
        $name_visible:vis fn $name:ident;

        $($(#[$of_search:meta])*
        $search_visible:vis fn $search:ident;)?
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $visible enum $type {
            $($(#[$of_value])* $value,)*
        }

        impl $type {
            /// All of them.
            #[allow(dead_code)]
            $visible const ALL: [$type; [$($text),*].len()] = [$($type::$value),*];

            $(#[$of_name])*
            $name_visible fn $name(self) -> &'static str {
                match self {
                    $($type::$value => $text,)*
                }
            }

            $($(#[$of_search])*
            $search_visible fn $search(name: &str) -> Option<$type> {
                $type::ALL.into_iter().find(|value| value.$name() == name)
            })?
        }
    };
}
