//! `--slurm`: a study as a script for Slurm whose tasks make its runs, a job array. GNU parallel can call it, too: the
//! task's number is its first argument then.

use std::path::Path;

use smpi_base::words::for_shell;

/// What a script is made of.
pub struct Array<'a> {
    /// The smpirun that the tasks start.
    pub smpirun: &'a Path,
    /// The study.
    pub study: &'a Path,
    /// Where results are kept.
    pub cache: &'a Path,
    /// How many runs there are, and tasks.
    pub runs: usize,
    /// The same.
    pub tasks: usize,
    /// Tasks at once.
    pub at_once: Option<u32>,
    /// Seconds after which a run is ended.
    pub limit_secs: Option<u64>,
    /// Whether runs that failed are made again.
    pub retry: bool,
}

impl Array<'_> {
    /// The script.
    pub fn script(&self) -> String {
        let word = |path: &Path| for_shell(&[path.display().to_string()]);
        let (smpirun, study, cache) = (word(self.smpirun), word(self.study), word(self.cache));
        let name = self.study.file_stem().unwrap_or_default().to_string_lossy();
        let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let Array { runs, tasks, .. } = self;
        let at_once = self.at_once.map_or_else(String::new, |most| format!("%{most}"));
        let mut more = String::new();
        if let Some(secs) = self.limit_secs {
            more += &format!(" --timeout {secs}");
        }
        if self.retry {
            more += " --retry";
        }
        format!(
            "#!/bin/bash\n\
             #SBATCH --job-name={name}\n\
             #SBATCH --array=1-{tasks}{at_once}\n\
             #SBATCH --ntasks=1\n\
             #SBATCH --requeue\n\
             #SBATCH --open-mode=append\n\
             #SBATCH --output={name}-%A.out\n\
             # The {runs} runs of a study in {tasks} tasks. By Slurm: sbatch THIS. By GNU parallel: parallel bash THIS ::: \
             {{1..{tasks}}}\n\
             # How far they are: {smpirun} sweep {study} --cache {cache} --status\n\
             # Without --status, the same makes what is left, and the table.\n\
             exec {smpirun} sweep {study} --cache {cache} --jobs 1{more} --share \
             \"${{1:-$SLURM_ARRAY_TASK_ID}}/{tasks}\"\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_has_the_numbers_of_its_tasks() {
        let array = Array {
            smpirun: Path::new("/opt/smpirun"),
            study: Path::new("/home/my study.toml"),
            cache: Path::new("/home/cache"),
            runs: 2_000,
            tasks: 1_000,
            at_once: Some(64),
            limit_secs: Some(60),
            retry: true,
        };
        let script = array.script();
        assert!(
            script.starts_with("#!/bin/bash\n#SBATCH --job-name=my-study\n#SBATCH --array=1-1000%64\n"),
            "{script}"
        );
        let last = "exec /opt/smpirun sweep '/home/my study.toml' --cache /home/cache --jobs 1 --timeout 60 --retry \
                    --share \"${1:-$SLURM_ARRAY_TASK_ID}/1000\"\n";
        assert!(script.ends_with(last), "{script}");
    }
}
