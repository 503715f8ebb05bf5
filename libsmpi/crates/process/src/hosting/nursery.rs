//! Ranks that are spawned while others run: their programs are opened when they are first asked for.
//!
//! A rank that may be spawned has a number and addresses from the start, and nothing else. When it is spawned, its
//! image is mapped there. Under the checker, which goes back to states before the spawning, the rank stays mapped: it
//! is put back to its beginning when it is spawned again.

use super::asked::{AppSpec, StartError};
use super::loading::{fiber, open_one, prepare};
use super::ranks::Ranks;
use crate::descriptors::hide;
use crate::directory;
use crate::record::Application;
use smpi_base::WorldRank;
use smpi_image::{Program, unwind};
use smpi_ranks::keys as protection;
use std::os::fd::AsFd;
use std::path::Path;
use std::rc::Rc;

impl Ranks {
    /// Spawns ranks of a program: `app.ranks` of them from `first` on. They have not run then.
    ///
    /// # Errors
    /// A program that cannot be loaded: text for the user. Then none of them is there.
    pub fn spawn(&mut self, first: WorldRank, app: &AppSpec) -> Result<(), StartError> {
        let program = self.program_of(app)?;
        let mut application = None;
        for rank in (first.0..first.0 + app.ranks).map(WorldRank) {
            self.spawn_one(rank, &program, (app, &mut application))?;
        }
        Ok(())
    }

    /// Opens a program, unless it is.
    ///
    /// # Errors
    /// As for [`Ranks::spawn`].
    pub fn check(&mut self, app: &AppSpec) -> Result<(), StartError> {
        self.program_of(app).map(drop)
    }

    fn program_of(&mut self, app: &AppSpec) -> Result<Program, StartError> {
        let file = std::fs::canonicalize(&app.path).unwrap_or_default();
        if let Some(program) = self.nursery.opened.get(&file) {
            return Ok(program.clone());
        }
        let layout = &self.host.layout;
        let mut program = open_one(Path::new(&app.path), layout.arena_bytes(), &self.nursery.options)?;
        if self.files.is_some() {
            // Those of ranks are closed when an earlier state is put back.
            program.move_file(|file| hide(file.as_fd().try_clone_to_owned().ok()?));
        }
        if !layout.has_room(program.region().arena_offset, program.region().align) {
            return Err(StartError(format!(
                "{}: a rank of it needs more address space than was reserved for ranks that are spawned: lower \
                 --cfg=smpi/spawn-ranks",
                app.path
            )));
        }
        self.nursery.opened.insert(file, program.clone());
        Ok(program)
    }

    fn spawn_one(
        &mut self,
        rank: WorldRank,
        program: &Program,
        app: (&AppSpec, &mut Option<&'static Application>),
    ) -> Result<(), StartError> {
        let spec = app.0;
        if let Some((_, beginning)) = self.nursery.born.get(&rank).filter(|born| born.0 == *spec).cloned() {
            beginning(self);
            return Ok(());
        }
        let layout = &self.host.layout;
        let (base, stride) = (layout.base(rank.0), layout.stride());
        unwind::publish(program, base, stride, 1, rank.0);
        self.kept.forget_within(&(base..base + stride));
        let record = self.host.records.put(rank, prepare(program, layout, rank.0, app)?);
        if let Some(directory) = &spec.directory {
            directory::begin_in(record, directory);
        }
        self.fibers[rank.index()] = Some(fiber(record));
        if self.files.is_some() {
            protection::protect_region(base, stride);
            let snapshot = self.capture(rank);
            let beginning = Rc::new(move |ranks: &mut Ranks| ranks.restore(rank, &snapshot));
            self.nursery.born.insert(rank, (spec.clone(), beginning));
        }
        Ok(())
    }
}
