//! Declarations of the records of a result. Each is a struct whose fields carry their meaning. A run fills in
//! the struct. The JSON Schema, the data frames and the documentation are made from [its
//! fields](Declared::fields).

use serde::Serialize;

/// The kind of value that a field holds in JSON.
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
    /// A list of the records with this name.
    Records(&'static str),
    /// Values over time.
    Series,
}

/// A declared field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// The name of the field.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: Kind,
    /// Whether it may be null, which means that there was no sample.
    pub nullable: bool,
    /// Whether records to which it does not apply lack it.
    pub optional: bool,
    /// The unit of its values, which is the last word of its name; empty for a count of events, a ratio or a
    /// name.
    pub unit: &'static str,
    /// The definition of the field, in Markdown with links from the page on results.
    pub meaning: &'static str,
}

/// Returns the unit of a field by its name.
pub fn unit_of(name: &str) -> &'static str {
    match name.rsplit('_').next() {
        Some("s") => "s",
        Some("bps") => "bit/s",
        Some("packets") => "packets",
        Some("bytes") => "B",
        _ => "",
    }
}

/// A record with declared fields.
pub trait Declared {
    /// Returns the fields in the order in which they are written.
    fn fields() -> Vec<Field>;
}

/// The properties of a field that follow from its type.
pub trait Typed {
    /// The kind of value that the type holds.
    const KIND: Kind;
    /// Whether the value may be null.
    const NULLABLE: bool = false;
    /// Whether the field may be absent.
    const OPTIONAL: bool = false;

    /// Returns whether the field is left out.
    fn is_absent(&self) -> bool {
        false
    }
}

/// A fraction, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Share(pub f64);

/// A value that exists only if a scenario asks for it.
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

/// Implements [`Typed`] for types of one kind.
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

/// Declares records. The comment of a field is its definition, which users read without those of other fields. A line that begins
/// with two dots is another record, whose optional fields are among these.
macro_rules! records {
    // The first rule takes the comment of a field as one expression.
    (@ $(
        $(#[doc = $about:literal])+
        $visibility:vis struct $record:ident {
            $({$meaning:expr} $field:ident: $type:ty;)*
            $(..$part:ident: $part_type:ty;)*
        }
    )+) => {
        $(
            $(#[doc = $about])+
            #[derive(Clone, Debug, Default, serde::Serialize)]
            $visibility struct $record {
                $(
                    #[doc = $meaning]
                    #[serde(skip_serializing_if = "crate::run::result::declared::Typed::is_absent")]
                    pub $field: $type,
                )*
                $(
                    /// The record of these fields, if it applies.
                    #[serde(flatten)]
                    pub $part: Option<$part_type>,
                )*
            }

            impl crate::run::result::declared::Declared for $record {
                fn fields() -> Vec<crate::run::result::declared::Field> {
                    use crate::run::result::declared::{Field, Typed};
                    let own = [$(Field {
                        name: stringify!($field),
                        kind: <$type as Typed>::KIND,
                        nullable: <$type as Typed>::NULLABLE,
                        optional: <$type as Typed>::OPTIONAL,
                        unit: crate::run::result::declared::unit_of(stringify!($field)),
                        meaning: $meaning,
                    }),*];
                    let parts = Vec::<Vec<Field>>::from([
                        $(<$part_type as crate::run::result::declared::Declared>::fields()),*
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
                $field:ident: $type:ty;
            )*
            $(..$part:ident: $part_type:ty;)*
        }
    )+) => {
        crate::run::result::declared::records! { @ $(
            $(#[doc = $about])+
            $visibility struct $record {
                $({concat!($($meaning),+)} $field: $type;)*
                $(..$part: $part_type;)*
            }
        )+ }
    };
}

pub(crate) use records;
