//! A Slurm of a test's own: a controller and two node daemons on this machine, from packages of Debian that need not
//! be installed.

use crate::place::Place;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A Slurm that runs. It ends when it is dropped.
pub struct Slurm {
    packages: PathBuf,
    directory: PathBuf,
    daemons: Vec<Child>,
}

impl Drop for Slurm {
    fn drop(&mut self) {
        // They end what they have started themselves.
        let _ = self.command("scontrol").arg("shutdown").status();
        for daemon in &mut self.daemons {
            for _ in 0..500 {
                if matches!(daemon.try_wait(), Ok(Some(_))) {
                    break;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

impl Slurm {
    /// Starts one in a directory. `packages` is where Debian's packages are unpacked, such as `/`.
    ///
    /// # Errors
    /// What is wrong, where the nodes are not ready in a while.
    pub fn start(place: &Place, packages: &Path) -> Result<Slurm, String> {
        let (packages, directory) = (packages.to_path_buf(), place.directory.join("slurm"));
        for name in ["state", "spool.n1", "spool.n2"] {
            std::fs::create_dir_all(directory.join(name)).map_err(|error| error.to_string())?;
        }
        let mut slurm = Slurm { packages, directory, daemons: Vec::new() };
        let user = Command::new("id").arg("-un").output().map_err(|error| error.to_string())?;
        let user = String::from_utf8_lossy(&user.stdout).trim().to_string();
        std::fs::write(slurm.configuration(), slurm.text(&user)).map_err(|error| error.to_string())?;
        slurm.begin("slurmctld-wlm", &[])?;
        let step = slurm.packages.join("usr/sbin/slurmstepd-wlm").display().to_string();
        for node in ["n1", "n2"] {
            slurm.begin("slurmd-wlm", &["-N", node, "-d", &step])?;
        }
        for _ in 0..300 {
            let state = slurm.command("sinfo").args(["--noheader", "--format=%t %D"]).output();
            if state.is_ok_and(|state| state.stdout.starts_with(b"idle 2")) {
                return Ok(slurm);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Err(format!("the nodes of Slurm are not ready; see {}", slurm.directory.display()))
    }

    /// Ends a node as a failure of power would: its daemon, its steps and what they have started. Nodes have numbers
    /// from 1.
    pub fn kill_node(&mut self, number: usize) {
        // The controller is the first daemon.
        let daemon = &mut self.daemons[number];
        let _ = daemon.kill();
        let _ = daemon.wait();
        let configuration = format!("SLURM_CONF={}", self.configuration().display());
        let node = format!("SLURMD_NODENAME=n{number}");
        let is_of_node = |pid: &u32| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let has = |variable: &str| environment.split(|byte| *byte == 0).any(|known| known == variable.as_bytes());
            has(&configuration) && has(&node)
        };
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let all = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        for pid in all.filter(is_of_node).collect::<Vec<_>>() {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")).map_or("", str::trim);
            let name = std::fs::read_to_string(format!("/proc/{parent}/comm")).unwrap_or_default();
            let step = name.starts_with("slurmstepd").then(|| parent.to_string());
            for pid in step.into_iter().chain([pid.to_string()]) {
                let _ = Command::new("kill").args(["-KILL", &pid]).stderr(Stdio::null()).status();
            }
        }
    }

    /// What a command of Slurm says.
    pub fn says(&self, name: &str, words: &[&str]) -> String {
        let output = self.command(name).args(words).output();
        output.map_or(String::new(), |output| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// A command of Slurm.
    pub fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.packages.join("usr/bin").join(name));
        command.env("SLURM_CONF", self.configuration()).env("LD_LIBRARY_PATH", self.libraries());
        command
    }

    /// The words that start processes of an MPI whose library is in a directory, with more options of srun.
    pub fn launcher(&self, options: &str, library: &Path) -> String {
        let (libraries, srun) = (self.libraries(), self.packages.join("usr/bin/srun"));
        let (configuration, srun) = (self.configuration().display().to_string(), srun.display());
        format!(
            "env SLURM_CONF={configuration} LD_LIBRARY_PATH={libraries} {srun} --quiet --mpi=pmi2 {options} \
             env LD_LIBRARY_PATH={}",
            library.display()
        )
    }

    fn begin(&mut self, name: &str, words: &[&str]) -> Result<(), String> {
        let daemon = self.packages.join("usr/sbin").join(name);
        let mut command = Command::new(&daemon);
        command.arg("-D").arg("-f").arg(self.configuration()).args(words).env("LD_LIBRARY_PATH", self.libraries());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.daemons.push(command.spawn().map_err(|error| format!("{}: {error}", daemon.display()))?);
        Ok(())
    }

    fn configuration(&self) -> PathBuf {
        self.directory.join("slurm.conf")
    }

    fn plugins(&self) -> PathBuf {
        self.packages.join("usr/lib/x86_64-linux-gnu/slurm-wlm")
    }

    fn libraries(&self) -> String {
        format!("{}:{}", self.packages.join("usr/lib/x86_64-linux-gnu").display(), self.plugins().display())
    }

    /// The configuration. Ports follow from this process's number, so that several tests may run.
    fn text(&self, user: &str) -> String {
        let port = 20_000 + std::process::id() % 9_000 * 5;
        let (directory, plugins, last) = (self.directory.display(), self.plugins().display().to_string(), port + 3);
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = host.trim();
        format!(
            "ClusterName=test\nSlurmctldHost={host}(127.0.0.1)\nAuthType=auth/none\nCredType=cred/none\n\
             PluginDir={plugins}\nSlurmUser={user}\nSlurmdUser={user}\nSlurmctldPort={port}\n\
             StateSaveLocation={directory}/state\nSlurmdSpoolDir={directory}/spool.%n\n\
             SlurmctldPidFile={directory}/controller.pid\nSlurmdPidFile={directory}/%n.pid\n\
             SlurmctldLogFile={directory}/controller.log\nSlurmdLogFile={directory}/%n.log\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSwitchType=switch/none\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nReturnToService=2\n\
             AccountingStorageType=accounting_storage/none\nJobAcctGatherType=jobacct_gather/none\n\
             NodeName=n[1-2] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{}-{last}] CPUs=2 State=UNKNOWN\n\
             PartitionName=all Nodes=n[1-2] Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8\n",
            port + 2
        )
    }
}
