//! How a record of the results is declared: once, as a struct whose fields carry what they mean. The struct is what a
//! run fills in; [its fields](Declared::fields) are what the JSON Schema, the data frames and the documentation are
//! made from.

use serde::Serialize;

/// What a field holds, as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A number.
    Number,
    /// A number from 0 to 1.
    Share,
    /// A whole number.
    Integer,
    /// A word or a name.
    Text,
    /// A list of numbers.
    Numbers,
    /// Two numbers.
    Pair,
    /// A list of the records that are called so.
    Records(&'static str),
    /// Values over time.
    Series,
}

/// A field as it is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether it may be null, which says that there was no sample.
    pub nullable: bool,
    /// Whether records that it says nothing about are without it.
    pub optional: bool,
    /// What it is counted in, which is the last word of its name; empty for a count of events, a ratio or a name.
    pub unit: &'static str,
    /// Its definition, in Markdown with links from the page on results. Fields that are declared together share it.
    pub meaning: &'static str,
}

/// The unit of a field by its name.
pub fn unit_of(name: &str) -> &'static str {
    match name.rsplit('_').next() {
        Some("s") => "s",
        Some("bps") => "bit/s",
        Some("packets") => "packets",
        Some("bytes") => "B",
        _ => "",
    }
}

/// A record whose fields are declared.
pub trait Declared {
    /// The fields in the order in which they are written.
    fn fields() -> Vec<Field>;
}

/// What a field's type says about it.
pub trait Typed {
    /// What it holds.
    const KIND: Kind;
    /// Whether it may be null.
    const NULLABLE: bool = false;
    /// Whether it may be absent.
    const OPTIONAL: bool = false;

    /// Whether it is left out.
    fn is_absent(&self) -> bool {
        false
    }
}

/// A share, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Share(pub f64);

/// What is there only where a scenario asks for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Asked<T>(pub Option<T>);

impl<T: Typed> Typed for Asked<T> {
    const KIND: Kind = T::KIND;
    const NULLABLE: bool = true;
    const OPTIONAL: bool = true;

    fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}

impl<T: Typed> Typed for Option<T> {
    const KIND: Kind = T::KIND;
    const NULLABLE: bool = true;
}

/// Says what a type is as JSON.
macro_rules! typed {
    ($($type:ty: $kind:expr;)+) => {
        $(impl Typed for $type {
            const KIND: Kind = $kind;
        })+
    };
}

typed! {
    f64: Kind::Number;
    Share: Kind::Share;
    u64: Kind::Integer;
    usize: Kind::Integer;
    String: Kind::Text;
    &'static str: Kind::Text;
    Vec<f64>: Kind::Numbers;
    [f64; 2]: Kind::Pair;
}

/// Declares records. Each line of fields has their definition as its comment; a line that begins with two dots is
/// another record, whose fields stand among these where there is one.
macro_rules! records {
    // A line's comment as one expression, which each of its fields can then repeat.
    (@ $(
        $(#[doc = $about:literal])+
        $visibility:vis struct $record:ident {
            $({$meaning:expr} $($field:ident),+: $type:ty;)*
            $(..$part:ident: $part_type:ty;)*
        }
    )+) => {
        $(
            $(#[doc = $about])+
            #[derive(Clone, Debug, Default, serde::Serialize)]
            $visibility struct $record {
                $($(
                    #[doc = $meaning]
                    #[serde(skip_serializing_if = "crate::result::declared::Typed::is_absent")]
                    pub $field: $type,
                )+)*
                $(
                    /// Where there is one.
                    #[serde(flatten)]
                    pub $part: Option<$part_type>,
                )*
            }

            impl crate::result::declared::Declared for $record {
                fn fields() -> Vec<crate::result::declared::Field> {
                    use crate::result::declared::{Field, Typed};
                    let own = [$($(Field {
                        name: stringify!($field),
                        kind: <$type as Typed>::KIND,
                        nullable: <$type as Typed>::NULLABLE,
                        optional: <$type as Typed>::OPTIONAL,
                        unit: crate::result::declared::unit_of(stringify!($field)),
                        meaning: $meaning,
                    }),+),*];
                    let parts = Vec::<Vec<Field>>::from([
                        $(<$part_type as crate::result::declared::Declared>::fields()),*
                    ]);
                    let of_parts = parts.into_iter().flatten().map(|field| Field { optional: true, ..field });
                    own.into_iter().chain(of_parts).collect()
                }
            }
        )+
    };
    ($(
        $(#[doc = $about:literal])+
        $visibility:vis struct $record:ident {
            $(
                $(#[doc = $meaning:literal])+
                $($field:ident),+: $type:ty;
            )*
            $(..$part:ident: $part_type:ty;)*
        }
    )+) => {
        crate::result::declared::records! { @ $(
            $(#[doc = $about])+
            $visibility struct $record {
                $({concat!($($meaning),+)} $($field),+: $type;)*
                $(..$part: $part_type;)*
            }
        )+ }
    };
}

pub(crate) use records;
