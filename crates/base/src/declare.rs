//! Declares parameters beside the fields that they fill.
//!
//! [`parameters!`](crate::parameters) makes a struct whose fields are the parameters of an algorithm, and the
//! table of parameters that the scenario language, `ackclock list` and the documentation read.
//! [`choice!`](crate::choice) makes the type of a parameter whose value is one of several words. The
//! functions of this module declare parameters; inside the macro they need no import.

use crate::quantity::{Rate, Size, Span};
use crate::registry::{Parameter, Quantity, Range, Value};
use crate::spelling::Limit;
use std::marker::PhantomData;

/// Declares a struct of parameters. The doc comment of a field is its summary in lists, and the field's name is its key
/// in a scenario file. The expression after the equals sign declares its quantity, default, range and source:
///
/// ```
/// use ackclock_base::{Packets, Range, Span, parameters};
///
/// parameters! {
///     /// The parameters of a law.
///     pub struct Law {
///         /// Packets of increase in a round trip
///         increase: f64 = number("1", Range::above(0.0), "RFC 5681 section 3.1"),
///         /// No growth beyond this window; none for no bound
///         bound: Option<Packets> = packets("none", Range::at_least(1.0), "an example"),
///         /// How long to wait
///         patience: Span = time("200 ms", Range::ANY, "an example"),
///     }
/// }
///
/// assert_eq!(Law::TABLE[0].summary, "Packets of increase in a round trip");
/// assert_eq!(Law::default().increase, 1.0);
/// assert_eq!(Law { patience: Span::ZERO, ..Law::default() }.bound, None);
/// ```
///
/// A parameter that several algorithms have is a constant of the type [`Declared`](crate::declare::Declared), whose
/// summary is set with [`about`](crate::declare::Declared::about); a field declared by it needs no doc comment. A field
/// without a declaration is itself a struct of parameters, which all take its place in the table:
///
/// ```
/// # use ackclock_base::{Range, parameters, declare::{Declared, flag}};
/// # parameters! {
/// #     /// The parameters of a law.
/// #     pub struct Law {
/// #         /// Packets of increase in a round trip
/// #         increase: f64 = number("1", Range::above(0.0), "RFC 5681 section 3.1"),
/// #     }
/// # }
/// const ECN: Declared<bool> = flag(false, "RFC 3168").about("Whether packets may be marked instead of dropped");
///
/// parameters! {
///     /// The parameters of a law that contains that law.
///     pub struct Around {
///         ecn: bool = ECN,
///         /// The parameters of the law inside.
///         law: Law,
///     }
/// }
///
/// assert_eq!(Around::TABLE.iter().map(|parameter| parameter.name).collect::<Vec<_>>(), ["ecn", "increase"]);
/// ```
///
/// The macro makes:
/// * the struct, with public fields;
/// * `TABLE`, the parameters, in the order of the fields;
/// * `From<&Values>`: reads the fields by their position in the table. It cannot fail: a missing value
///   becomes the default;
/// * `Default`, which sets every field to its declared default;
/// * `take`, which reads the fields where the struct is a field of another struct of parameters.
///
/// A default that the field's type cannot hold does not compile:
///
/// ```compile_fail
/// ackclock_base::parameters! {
///     /// A number is never absent.
///     pub struct Law {
///         /// Packets of increase in a round trip
///         increase: f64 = number("none", ackclock_base::Range::ANY, "an example"),
///     }
/// }
/// ```
///
/// Nor does a field whose type is not that of its parameter:
///
/// ```compile_fail
/// ackclock_base::parameters! {
///     /// A time is not a number.
///     pub struct Law {
///         /// How long to wait
///         patience: f64 = time("200 ms", ackclock_base::Range::ANY, "an example"),
///     }
/// }
/// ```
#[macro_export]
macro_rules! parameters {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident {
            $($(#[doc = $summary:literal])* $field:ident: $type:ty $(= $declared:expr)?),* $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        $vis struct $name {
            $(
                $(#[doc = $summary])*
                $(#[doc = concat!("\n\nDeclared as `", stringify!($declared), "`.")])?
                pub $field: $type,
            )*
        }

        impl $name {
            /// The parameters, in the order of the fields.
            pub const TABLE: &'static [$crate::Parameter] = {
                const PARTS: &[&[$crate::Parameter]] = &[
                    $($crate::parameters!(@table ($($summary)*) $field: $type $(= $declared)?)),*
                ];
                const ALL: [$crate::Parameter; $crate::declare::count(PARTS)] = $crate::declare::join(PARTS);
                &ALL
            };

            /// Takes the next value for each field, in order. A field whose value is missing gets its
            /// default.
            pub fn take(values: &mut dyn Iterator<Item = $crate::Value>) -> Self {
                Self { $($field: $crate::parameters!(@field values $type $(= $declared)?)),* }
            }
        }

        impl From<&$crate::Values> for $name {
            /// Reads each field from the value at its position in the table.
            fn from(values: &$crate::Values) -> Self {
                debug_assert!(
                    values.are_of(Self::TABLE),
                    "the given values must be those of the parameters of {}",
                    stringify!($name)
                );
                Self::take(&mut values.iter())
            }
        }

        impl Default for $name {
            /// Sets every field to its declared default.
            fn default() -> Self {
                Self::take(&mut ::std::iter::empty())
            }
        }
    };
    (@table ($($summary:literal)*) $field:ident: $type:ty = $declared:expr) => {{
        #[allow(unused_imports)]
        use $crate::declare::*;
        const DECLARED: $crate::declare::Declared<$type> = $declared;
        const TABLE: &[$crate::Parameter] = &[DECLARED.parameter(stringify!($field), concat!($($summary),*))];
        TABLE
    }};
    (@table ($($summary:literal)*) $field:ident: $type:ty) => {
        <$type>::TABLE
    };
    (@field $values:ident $type:ty = $declared:expr) => {{
        #[allow(unused_imports)]
        use $crate::declare::*;
        const DECLARED: $crate::declare::Declared<$type> = $declared;
        DECLARED.read($values.next())
    }};
    (@field $values:ident $type:ty) => {
        <$type>::take($values)
    };
}

/// Declares the type of a parameter whose value is one of several words. Each variant has the word that stands for it in
/// a scenario file:
///
/// ```
/// use ackclock_base::{choice, parameters};
///
/// choice! {
///     /// How a law forgets.
///     pub enum Memory {
///         /// The past stays.
///         Keeps = "keep",
///         /// The past halves in a round trip.
///         Halves = "halve",
///     }
/// }
///
/// parameters! {
///     /// The parameters of the law.
///     pub struct Law {
///         /// How the past counts
///         memory: Memory = choice("halve", "an example"),
///     }
/// }
///
/// assert_eq!(Law::default().memory, Memory::Halves);
/// assert_eq!(Memory::Keeps.word(), "keep");
/// ```
///
/// A default that is none of the words does not compile:
///
/// ```compile_fail
/// # use ackclock_base::{choice, parameters};
/// # choice! { /// How a law forgets.
/// # pub enum Memory { /// The past stays.
/// #     Keeps = "keep" } }
/// parameters! {
///     /// The parameters of the law.
///     pub struct Law {
///         /// How the past counts
///         memory: Memory = choice("halve", "an example"),
///     }
/// }
/// ```
#[macro_export]
macro_rules! choice {
    (
        $(#[$about:meta])*
        $vis:vis enum $name:ident {
            $($(#[$meaning:meta])* $variant:ident = $word:literal),+ $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name {
            $(
                $(#[$meaning])*
                #[doc = concat!("\n\nWritten \"", $word, "\".")]
                $variant,
            )+
        }

        impl $name {
            /// Lists all choices, in the order in which lists show their words.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the word that stands for the choice in a scenario file.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl Default for $name {
            /// Returns the first choice.
            fn default() -> Self {
                Self::ALL[0]
            }
        }

        impl $crate::declare::Field for $name {
            type Plain = Self;
            const WORDS: &'static [&'static str] = &[$($word),+];

            fn of(value: $crate::Value) -> Option<Self> {
                match value {
                    $crate::Value::Choice(word) => Self::ALL.iter().copied().find(|choice| choice.word() == word),
                    _ => None,
                }
            }
        }
    };
}

/// Stands for a file whose name a parameter gives. The file's content is read together with the scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamedFile;

/// A type that a field of a struct of parameters may have.
pub trait Field: Default {
    /// The type of a value that is present: `T` for `Option<T>`, and the type itself for all others.
    type Plain;
    /// Whether the value may be absent.
    const OPTIONAL: bool = false;
    /// The words of a [`choice!`](crate::choice); empty for all other types.
    const WORDS: &'static [&'static str] = &[];

    /// Converts a parameter's value to the field's type; `None` if the value is of another quantity.
    fn of(value: Value) -> Option<Self>;
}

macro_rules! fields {
    ($($type:ty: $pattern:pat => $held:expr;)*) => {
        $(impl Field for $type {
            type Plain = Self;

            fn of(value: Value) -> Option<Self> {
                match value {
                    $pattern => Some($held),
                    _ => None,
                }
            }
        })*
    };
}

fields! {
    f64: Value::Number(number) | Value::Packets(number) => number;
    bool: Value::Flag(flag) => flag;
    Span: Value::Time(span) => span;
    Rate: Value::Rate(rate) => rate;
    Size: Value::Size(size) => size;
    Limit: Value::Limit(limit) => limit;
    NamedFile: Value::File => NamedFile;
}

macro_rules! whole_fields {
    ($($type:ty)*) => {
        $(impl Field for $type {
            type Plain = i64;

            fn of(value: Value) -> Option<Self> {
                match value {
                    Value::Integer(number) => number.try_into().ok(),
                    _ => None,
                }
            }
        })*
    };
}

whole_fields!(i32 i64 u32 u64 usize);

impl<T: Field> Field for Option<T> {
    type Plain = T::Plain;
    const OPTIONAL: bool = true;
    const WORDS: &'static [&'static str] = T::WORDS;

    fn of(value: Value) -> Option<Self> {
        match value {
            Value::Absent => Some(None),
            value => T::of(value).map(Some),
        }
    }
}

/// Declares a parameter that fills a field of the type `T`.
#[derive(Clone, Copy, Debug)]
pub struct Declared<T> {
    parameter: Parameter,
    field: PhantomData<fn() -> T>,
}

impl<T: Field> Declared<T> {
    const fn new(quantity: Quantity, default: &'static str, range: Range, source: &'static str) -> Self {
        assert!(T::OPTIONAL || !same(default, Parameter::NONE), "only an Option can have the default none");
        let parameter = Parameter { name: "", summary: "", quantity, default, range, source };
        Self { parameter, field: PhantomData }
    }

    /// Returns the same parameter with this summary, for fields that have no line of their own.
    pub const fn about(self, summary: &'static str) -> Self {
        Self { parameter: Parameter { summary, ..self.parameter }, ..self }
    }

    /// Returns the same parameter with another default.
    pub const fn by_default(self, default: &'static str) -> Self {
        let Parameter { summary, quantity, range, source, .. } = self.parameter;
        Self::new(quantity, default, range, source).about(summary)
    }

    /// Returns the same parameter with another source.
    pub const fn source(self, source: &'static str) -> Self {
        Self { parameter: Parameter { source, ..self.parameter }, ..self }
    }

    /// Returns the field for this value; the default if the value is missing or of another quantity.
    pub fn read(&self, value: Option<Value>) -> T {
        value.and_then(T::of).or_else(|| T::of(self.parameter.default_value())).unwrap_or_default()
    }

    /// Returns the parameter as the table holds it: under the field's name, and with the field's doc comment
    /// as its summary unless that is empty.
    pub const fn parameter(&self, name: &'static str, line: &'static str) -> Parameter {
        let line = line.trim_ascii();
        let summary = if line.is_empty() { self.parameter.summary } else { line };
        assert!(!summary.is_empty(), "a parameter needs a summary: a doc comment, or `about`");
        Parameter { name, summary, ..self.parameter }
    }
}

/// Declares a parameter that is a plain number.
pub const fn number<T>(default: &'static str, range: Range, source: &'static str) -> Declared<T>
where
    T: Field<Plain = f64>,
{
    Declared::new(Quantity::Number, default, range, source)
}

/// Declares a parameter that is a whole number.
pub const fn integer<T>(default: &'static str, range: Range, source: &'static str) -> Declared<T>
where
    T: Field<Plain = i64>,
{
    Declared::new(Quantity::Integer, default, range, source)
}

/// Declares a parameter that is true or false.
pub const fn flag(default: bool, source: &'static str) -> Declared<bool> {
    Declared::new(Quantity::Flag, if default { "true" } else { "false" }, Range::ANY, source)
}

/// Declares a parameter that is true, false or absent. If it is absent, another parameter decides, which its
/// summary names.
pub const fn optional_flag(source: &'static str) -> Declared<Option<bool>> {
    Declared::new(Quantity::Flag, Parameter::NONE, Range::ANY, source)
}

/// Declares a parameter that is a length of time.
pub const fn time<T>(default: &'static str, range: Range, source: &'static str) -> Declared<T>
where
    T: Field<Plain = Span>,
{
    Declared::new(Quantity::Time, default, range, source)
}

/// Declares a parameter that is a rate.
pub const fn rate<T>(default: &'static str, range: Range, source: &'static str) -> Declared<T>
where
    T: Field<Plain = Rate>,
{
    Declared::new(Quantity::Rate, default, range, source)
}

/// Declares a parameter that is a size in bytes.
pub const fn size<T>(default: &'static str, range: Range, source: &'static str) -> Declared<T>
where
    T: Field<Plain = Size>,
{
    Declared::new(Quantity::Size, default, range, source)
}

/// Declares a parameter that is a number of packets.
pub const fn packets<T>(default: &'static str, range: Range, source: &'static str) -> Declared<T>
where
    T: Field<Plain = f64>,
{
    Declared::new(Quantity::Packets, default, range, source)
}

/// Declares a parameter that is a queue limit.
pub const fn limit<T>(default: &'static str, range: Range, source: &'static str) -> Declared<T>
where
    T: Field<Plain = Limit>,
{
    Declared::new(Quantity::Limit, default, range, source)
}

/// Declares a parameter that names a file beside the scenario; it may be absent.
pub const fn file(source: &'static str) -> Declared<Option<NamedFile>> {
    Declared::new(Quantity::File, Parameter::NONE, Range::ANY, source)
}

/// Declares a parameter whose value is one of the words of a [`choice!`](crate::choice).
pub const fn choice<T: Field>(default: &'static str, source: &'static str) -> Declared<T> {
    let mut index = 0;
    while index < T::WORDS.len() && !same(default, T::WORDS[index]) {
        index += 1;
    }
    assert!(index < T::WORDS.len() || T::OPTIONAL, "the default must be one of the words of the choice");
    Declared::new(Quantity::Choice(T::WORDS), default, Range::ANY, source)
}

/// Returns the number of parameters in all parts of a table.
pub const fn count(parts: &[&[Parameter]]) -> usize {
    let (mut part, mut count) = (0, 0);
    while part < parts.len() {
        count += parts[part].len();
        part += 1;
    }
    count
}

/// Joins the parts of a table. `COUNT` must be what [`count`] returns for the parts.
pub const fn join<const COUNT: usize>(parts: &[&[Parameter]]) -> [Parameter; COUNT] {
    const NOTHING: Parameter = Parameter {
        name: "",
        summary: "",
        quantity: Quantity::Number,
        default: Parameter::NONE,
        range: Range::ANY,
        source: "",
    };
    let mut all = [NOTHING; COUNT];
    let (mut part, mut filled) = (0, 0);
    while part < parts.len() {
        let mut index = 0;
        while index < parts[part].len() {
            all[filled] = parts[part][index];
            filled += 1;
            index += 1;
        }
        part += 1;
    }
    all
}

/// Returns whether two texts are equal, at compile time.
const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Descriptor, Kind, Values};

    choice! {
        /// A choice of two colours.
        enum Colour {
            /// The first.
            Red = "red",
            /// The second.
            Green = "green",
        }
    }

    const SHARED: Declared<bool> = flag(true, "shared").about("Shared by several");

    parameters! {
        /// The parameters of the inner struct.
        struct Inner {
            /// A gain, whose line is too long
            /// for one line
            gain: f64 = number("0.5", Range::above(0.0), "inner"),
            /// A count
            count: u32 = integer("3", Range::between(1.0, 9.0), "inner"),
        }
    }

    parameters! {
        /// The parameters of the outer struct.
        struct Outer {
            /// A colour
            colour: Colour = choice("green", "outer"),
            shared: bool = SHARED,
            /// The parameters of the inner struct.
            inner: Inner,
            /// A time
            patience: Option<Span> = time("none", Range::ANY, "outer"),
            /// A limit
            limit: Limit = limit("50 packets", Range::ANY, "outer"),
        }
    }

    const OUTER: Descriptor = Descriptor {
        kind: Kind::Queue,
        name: "outer",
        summary: "",
        source: "",
        parameters: Outer::TABLE,
        presets: &[("gain", "2")],
    };

    #[test]
    fn the_table_lists_the_fields_in_their_order() {
        let names: Vec<_> = Outer::TABLE.iter().map(|parameter| parameter.name).collect();
        assert_eq!(names, ["colour", "shared", "gain", "count", "patience", "limit"]);
        let [colour, shared, gain, count, patience, _] = *Outer::TABLE else { panic!("six") };
        assert_eq!((colour.quantity, colour.default), (Quantity::Choice(&["red", "green"]), "green"));
        assert_eq!((shared.summary, shared.default, shared.source), ("Shared by several", "true", "shared"));
        assert_eq!(gain.summary, "A gain, whose line is too long for one line");
        assert_eq!((count.quantity, count.range), (Quantity::Integer, Range::between(1.0, 9.0)));
        assert_eq!((patience.quantity, patience.default), (Quantity::Time, Parameter::NONE));
    }

    #[test]
    fn fields_are_read_by_position() {
        let settings = [("colour", "red"), ("patience", "3 ms"), ("count", "7"), ("limit", "1 bdp")];
        let outer = Outer::from(&Values::with(&OUTER, &settings));
        assert_eq!(outer.colour, Colour::Red);
        assert_eq!(outer.inner, Inner { gain: 2.0, count: 7 });
        assert_eq!((outer.patience, outer.limit), (Some(Span::from_millis(3)), Limit::Bdp(1.0)));
        assert!(outer.shared);
    }

    #[test]
    fn missing_values_and_values_of_another_quantity_become_defaults() {
        let whole = Outer::default();
        assert_eq!(whole.inner, Inner { gain: 0.5, count: 3 });
        assert_eq!((whole.colour, whole.patience, whole.limit), (Colour::Green, None, Limit::Packets(50)));
        let odd = [Value::Flag(true), Value::Number(1.0), Value::Absent, Value::Integer(-1)];
        assert_eq!(Outer::take(&mut odd.into_iter()), whole);
    }

    #[test]
    fn a_shared_parameter_may_get_another_summary_default_and_source() {
        const OTHER: Parameter = SHARED.by_default("false").parameter("other", " Not so");
        assert_eq!(
            (OTHER.name, OTHER.summary, OTHER.default, OTHER.source),
            ("other", "Not so", "false", "shared")
        );
    }

    #[test]
    #[should_panic(expected = "given values must be those of the parameters of")]
    fn values_of_another_table_panic_in_tests() {
        let _ = Inner::from(&OUTER.defaults());
    }
}
