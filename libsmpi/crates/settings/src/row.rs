//! What a row of the table is, and what the compiler makes of it.

use crate::forms::{Form, Kind};
use crate::modes::Modes;

/// A setting.
#[derive(Debug)]
pub struct Row {
    /// Its name, as in `--cfg=NAME:VALUE`.
    pub name: &'static str,
    /// Its other names: what other versions of SMPI call it.
    pub aliases: &'static [&'static str],
    /// Who has it.
    pub group: Group,
    /// The value that it has where nothing is said, as it is written; nothing where that depends on other settings.
    pub default: &'static str,
    /// What its value is for a tool.
    pub kind: Kind,
    /// How its value is written.
    pub expected: fn() -> String,
    /// What it is about.
    pub topic: Topic,
    /// For whom it is.
    pub verbosity: Verbosity,
    /// Whose tool may set it.
    pub scope: Scope,
    /// Where it has an effect.
    pub modes: Modes,
    /// What it is, in the manual's Markdown. The first sentence says it all to those who know.
    pub text: &'static str,
}

impl Row {
    /// All its names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.name].into_iter().chain(self.aliases.iter().copied())
    }

    /// What it is, in one sentence without markup.
    pub fn sentence(&self) -> String {
        let end = self.text.find(". ").unwrap_or(self.text.len());
        format!("{}.", self.text[..end].replace('`', ""))
    }
}

/// Who has a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// The models of networks: `[network]` of a platform file.
    Network,
    /// Questions of `smpirun what-if`; no platform file has them.
    WhatIf,
    /// MPI and the simulated machine: `[mpi]` of a platform file.
    Mpi,
    /// Options of smpirun that SMPI has as settings, too; no platform file has them.
    Options,
}

/// Whose tool may set a control variable, and together with whom (MPI 5.0 §15.3.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Nobody's.
    Constant,
    /// Every rank's for itself.
    Local,
    /// All ranks' of the communicator alike.
    GroupAlike,
    /// All ranks' alike.
    AllAlike,
}

/// What a setting is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topic {
    /// How messages travel.
    Protocols,
    /// Collective operations.
    Collectives,
    /// The simulated machine and its time.
    Machine,
    /// What is looked for in programs.
    Checks,
}

/// For whom something is of interest, as the standard has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verbosity {
    /// `MPI_T_VERBOSITY_USER_BASIC`
    User,
    /// `MPI_T_VERBOSITY_TUNER_BASIC`
    Tuner,
    /// `MPI_T_VERBOSITY_MPIDEV_BASIC`
    Developer,
}

/// A value that does not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong(pub String);

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Wrong {}

/// Takes `text` for a value of this form.
pub(crate) fn take<F: Form>(key: &str, text: &str, into: &mut F::Value) -> Result<(), Wrong> {
    let refused = || Wrong(format!("{key}: \"{text}\" is not valid; expected {}", F::expected()));
    let value = F::read(text.trim()).ok_or_else(refused)?;
    F::put(into, value);
    Ok(())
}

/// The value of a default, which a test reads.
pub(crate) fn standard<F: Form>(name: &str, text: &str) -> F::Value {
    F::read(text).unwrap_or_else(|| panic!("the default of {name} is not valid"))
}

/// Makes of rows a struct with a field for each, and their descriptions. A row is
/// `field: Form = "default", "name" | "alias", [topic verbosity scope modes], "text";`.
macro_rules! settings {
    ($(#[$about:meta])* $Group:ident, $ROWS:ident: $(
        $field:ident: $Form:ty = $default:literal,
        $name:literal $(| $alias:literal)*,
        [$topic:ident $verbosity:ident $scope:ident $modes:ident],
        $text:literal;
    )*) => {
        $(#[$about])*
        #[derive(Clone, Debug)]
        pub struct $Group {
            $(#[doc = $text] pub $field: <$Form as Form>::Value,)*
        }

        impl Default for $Group {
            fn default() -> $Group {
                $Group { $($field: standard::<$Form>($name, $default),)* }
            }
        }

        impl $Group {
            /// Takes a value for the setting of this name; `None` where it is another group's.
            ///
            /// # Errors
            /// Text for the user when the value does not fit.
            pub fn set(&mut self, key: &str, value: &str) -> Option<Result<(), Wrong>> {
                match key {
                    $($name $(| $alias)* => Some(take::<$Form>(key, value, &mut self.$field)),)*
                    _ => None,
                }
            }

            /// The value of the setting of this name; `None` where it is another group's.
            pub fn value(&self, name: &str) -> Option<Value> {
                match name {
                    $($name => Some(<$Form>::value(&self.$field)),)*
                    _ => None,
                }
            }
        }

        /// The rows of this group.
        static $ROWS: &[Row] = &[$(Row {
            name: $name,
            aliases: &[$($alias),*],
            group: Group::$Group,
            default: $default,
            kind: <$Form as Form>::KIND,
            expected: <$Form as Form>::expected,
            topic: Topic::$topic,
            verbosity: Verbosity::$verbosity,
            scope: Scope::$scope,
            modes: Modes::$modes,
            text: $text,
        },)*];
    };
}
