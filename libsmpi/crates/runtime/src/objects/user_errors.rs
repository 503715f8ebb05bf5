//! Error classes, codes and texts that a program added (MPI 5.0 §9.5).

use smpi_abi::c::MPI_ERR_LASTCODE;
use smpi_base::map::Map;

/// Error classes, codes and texts that a program added. No call costs more with more of them.
#[derive(Clone, Debug, Default)]
pub struct UserErrors {
    /// Class of every code beyond the predefined ones; a class is its own code. `None` where it was removed.
    classes: Vec<Option<i32>>,
    /// How many codes classes have, except themselves; classes without are left out.
    members: Map<i32, u32>,
    /// Texts by code.
    texts: Map<i32, String>,
}

impl UserErrors {
    /// The first code after the predefined ones.
    const FIRST: i32 = MPI_ERR_LASTCODE + 1;

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty() && self.members.is_empty() && self.texts.is_empty()
    }

    fn index(code: i32) -> Option<usize> {
        usize::try_from(code.checked_sub(Self::FIRST)?).ok()
    }

    /// The class of an added code.
    pub fn class_of(&self, code: i32) -> Option<i32> {
        self.classes.get(Self::index(code)?).copied().flatten()
    }

    /// The largest code in use or removed: what the attribute `MPI_LASTUSEDCODE` says.
    pub fn last_used(&self) -> i32 {
        MPI_ERR_LASTCODE + self.classes.len() as i32
    }

    /// Adds a class.
    pub fn add_class(&mut self) -> i32 {
        let class = self.last_used() + 1;
        self.classes.push(Some(class));
        class
    }

    /// Adds a code to a class.
    pub fn add_code(&mut self, class: i32) -> i32 {
        *self.members.entry(class).or_default() += 1;
        self.classes.push(Some(class));
        self.last_used()
    }

    /// True when a class has codes other than itself.
    pub fn has_codes(&self, class: i32) -> bool {
        self.members.contains_key(&class)
    }

    /// Removes a class or code and its text. Its number is not used again.
    pub fn remove(&mut self, code: i32) {
        let entry = Self::index(code).and_then(|index| self.classes.get_mut(index));
        if let Some(class) = entry.and_then(Option::take).filter(|class| *class != code)
            && let Some(members) = self.members.get_mut(&class)
        {
            *members -= 1;
            if *members == 0 {
                self.members.remove(&class);
            }
        }
        self.texts.remove(&code);
    }

    /// The text of an added code.
    pub fn text(&self, code: i32) -> Option<&str> {
        self.texts.get(&code).map(String::as_str)
    }

    /// Sets or replaces a text.
    pub fn set_text(&mut self, code: i32, text: String) {
        self.texts.insert(code, text);
    }

    /// Removes a text; true when there was one.
    pub fn remove_text(&mut self, code: i32) -> bool {
        self.texts.remove(&code).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_know_their_class_and_are_not_used_again() {
        let mut errors = UserErrors::default();
        let class = errors.add_class();
        assert_eq!(class, MPI_ERR_LASTCODE + 1);
        let (own, standard) = (errors.add_code(class), errors.add_code(15));
        assert_eq!([class, own, standard].map(|code| errors.class_of(code)), [Some(class), Some(class), Some(15)]);
        assert!(errors.has_codes(class));
        errors.remove(own);
        assert!(!errors.has_codes(class) && errors.class_of(own).is_none());
        // Neither the number in between nor the last one comes back.
        errors.remove(standard);
        assert_eq!(errors.last_used(), standard);
        assert_eq!(errors.add_class(), standard + 1);
    }

    #[test]
    fn a_class_has_codes_until_the_last_of_them_is_removed() {
        let mut errors = UserErrors::default();
        let (class, other) = (errors.add_class(), errors.add_class());
        let codes = [errors.add_code(class), errors.add_code(15), errors.add_code(class)];
        assert!(errors.has_codes(class) && errors.has_codes(15) && !errors.has_codes(other));
        // To remove a code twice, or another class, takes nothing away.
        for code in [codes[0], codes[0], other, other] {
            errors.remove(code);
        }
        assert!(errors.has_codes(class));
        errors.remove(codes[2]);
        assert!(!errors.has_codes(class) && errors.has_codes(15));
        errors.remove(class);
        assert_eq!(errors.class_of(class), None);
    }

    #[test]
    fn codes_of_the_standard_are_none_of_the_programs() {
        let mut errors = UserErrors::default();
        errors.add_class();
        for code in [0, -1, MPI_ERR_LASTCODE, MPI_ERR_LASTCODE + 2, i32::MIN, i32::MAX] {
            assert_eq!(errors.class_of(code), None, "{code}");
            errors.remove(code);
        }
        assert_eq!(errors.class_of(MPI_ERR_LASTCODE + 1), Some(MPI_ERR_LASTCODE + 1));
    }

    #[test]
    fn a_text_goes_with_its_code() {
        let mut errors = UserErrors::default();
        let (class, other) = (errors.add_class(), errors.add_class());
        errors.set_text(class, "first".into());
        errors.set_text(other, "other".into());
        errors.set_text(class, "second".into());
        assert_eq!((errors.text(class), errors.text(other)), (Some("second"), Some("other")));
        errors.remove(class);
        assert_eq!((errors.text(class), errors.text(other)), (None, Some("other")));
        assert!(errors.remove_text(other) && !errors.remove_text(other));
    }
}
