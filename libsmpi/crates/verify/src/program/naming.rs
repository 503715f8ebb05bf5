//! Names of the states of a program: what may still become of it, whatever led there.
//!
//! A name is a digest of what its parts say of themselves: each rank's memory and call (`smpi_process`), its objects
//! and where it stands (`smpi_runtime`), messages and requests (`smpi_mpi`), choices (`smpi_choices`). Each part
//! names all of its fields, and leaves out only what cannot be noticed any more. Where one has something for which
//! there is no name, the state has none, and is told apart by its history. That costs states, and loses nothing.
//!
//! What a rank has is named again only after it has run, or others have written to its memory.

use std::ops::Range;
use std::rc::Rc;

use smpi_base::WorldRank;
use smpi_base::digest::{Digest, Named, Unnamed};
use smpi_checker::Configuration;
use smpi_runtime::objects::Counted;
use smpi_runtime::with;

use crate::program::states::Naming;
use crate::program::{Program, driven};

impl Program {
    /// The name of the state; `None` where it has none, or states have none at all.
    pub(crate) fn name(&mut self) -> Option<Configuration> {
        let naming = self.naming?;
        self.forget_shared();
        self.forget_touched();
        match self.made_name(naming) {
            Ok(name) => Some(Configuration(name)),
            Err(why) => {
                self.unnamed.get_or_insert(why);
                None
            }
        }
    }

    /// Why the first state without a name since it was asked last has none.
    pub(crate) fn unnamed(&self) -> Option<String> {
        self.unnamed.as_ref().map(|Unnamed(why)| why.to_string())
    }

    /// The same, which is not told again.
    pub(crate) fn take_unnamed(&mut self) -> Option<String> {
        self.unnamed.take().map(|Unnamed(why)| why.to_string())
    }

    pub(crate) fn made_name(&mut self, Naming { output, messages }: Naming) -> Named<u128> {
        self.ranks.have_names()?;
        let mut name = Digest::new();
        with(|runtime| {
            runtime.forget_closed_files();
            runtime.files.name(&mut name)
        })?;
        self.ranks.name_files(&mut name)?;
        for index in 0..self.count() {
            let rank = WorldRank(index);
            name.add(self.name_of_rank(rank)?);
            if output {
                name.add(self.ranks.output_hash(rank));
            }
        }
        let mut counted = Counted::default();
        with(|runtime| {
            runtime.objects.iter().for_each(|objects| objects.count(&mut counted));
            for (run, objects) in runtime.ranks.iter().zip(&runtime.objects) {
                run.name(&mut name)?;
                objects.name_among(&runtime.world, &counted, &mut name)?;
            }
            for failure in &runtime.trouble.failures {
                name.add(format!("{failure:?}"));
            }
            runtime.world.name(&counted.collectives, &mut name)
        })?;
        driven(|driver, world| driver.name(world, &counted.collectives, messages, &mut name))?;
        Ok(name.bits())
    }

    /// The name of what only changes while a rank runs, and when others write to its memory.
    fn name_of_rank(&mut self, rank: WorldRank) -> Named<u128> {
        if let Some(known) = self.current[rank.index()].name {
            return known;
        }
        let name = self.make_name(rank);
        self.current[rank.index()].name = Some(name);
        name
    }

    /// Adds the memory and the call of a rank, without what the program says does not matter, and without these ranges.
    pub(crate) fn name_memory(&self, rank: WorldRank, unseen: &[Range<usize>], into: &mut Digest) -> Named {
        let ignored = with(|runtime| Rc::clone(&runtime.run(rank).ignored));
        match unseen {
            [] => self.ranks.name_without(rank, &ignored, into),
            _ => self.ranks.name_without(rank, &[&ignored, unseen].concat(), into),
        }
    }

    fn make_name(&self, rank: WorldRank) -> Named<u128> {
        if with(|runtime| runtime.run(rank).standing.is_over()) {
            return Ok(0);
        }
        let mut name = Digest::new();
        self.name_memory(rank, &self.overwritten(rank), &mut name)?;
        with(|runtime| runtime.objects[rank.index()].name(&mut name))?;
        Ok(name.bits())
    }
}
