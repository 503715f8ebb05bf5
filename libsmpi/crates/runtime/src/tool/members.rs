//! What is in each category (MPI 5.0 §15.3.9).

use super::category::{ALL, Category};
use super::{control, event, performance};

impl Category {
    /// Indices of the control variables in it.
    pub fn controls(self) -> Vec<usize> {
        places(control::all().iter().map(|control| control.category), self)
    }

    /// Indices of the performance variables in it.
    pub fn performance(self) -> Vec<usize> {
        places(performance::ALL.iter().map(|variable| variable.category), self)
    }

    /// Indices of the types of events in it.
    pub fn events(self) -> Vec<usize> {
        places(event::ALL.iter().map(|event| event.category), self)
    }

    /// Indices of the categories in it.
    pub fn categories(self) -> Vec<usize> {
        let is_in =
            |(place, (.., parent)): (usize, &(_, _, _, Option<Category>))| (*parent == Some(self)).then_some(place);
        ALL.iter().enumerate().filter_map(is_in).collect()
    }
}

fn places(categories: impl Iterator<Item = Category>, wanted: Category) -> Vec<usize> {
    categories.enumerate().filter(|(_, category)| *category == wanted).map(|(place, _)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_in_a_category_and_these_in_one() {
        for (place, (category, ..)) in ALL.iter().enumerate() {
            assert_eq!(*category as usize, place);
        }
        let nested: usize = ALL.iter().map(|(category, ..)| category.categories().len()).sum();
        assert_eq!(nested, ALL.len() - 1);
        let count =
            |of: fn(Category) -> Vec<usize>| ALL.iter().map(|(category, ..)| of(*category).len()).sum::<usize>();
        assert_eq!(count(Category::controls), control::all().len());
        assert_eq!(count(Category::performance), performance::ALL.len());
        assert_eq!(count(Category::events), event::ALL.len());
    }
}
