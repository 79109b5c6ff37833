//! The programs of the hosts, in a process namespace that ends with this process.

use super::failed;
use super::namespaces::Namespaces;
use crate::Error;
use nix::sched::{CloneFlags, setns, unshare};
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long the server may take until it listens.
const PATIENCE: Duration = Duration::from_secs(5);

/// The programs of the hosts. When dropped, or when this process is killed, all their processes are killed.
pub struct Programs {
    /// The first process of the namespace. The kernel kills all others when it ends (pid_namespaces(7)), and
    /// it ends when its input does: when its other end is closed, by this process or by its death.
    first: Child,
    /// The namespace of this process, for later children.
    before: File,
    server: Option<Child>,
    client: Option<Child>,
}

impl Programs {
    /// Creates the process namespace for the programs.
    pub fn begin() -> Result<Self, Error> {
        let path = "/proc/thread-self/ns/pid";
        let before = File::open(path).map_err(|error| failed(&format!("{path} cannot be opened"), error))?;
        unshare(CloneFlags::CLONE_NEWPID).map_err(|error| {
            failed("a PID namespace cannot be created; the kernel needs CONFIG_PID_NS", error)
        })?;
        let first = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
        let first = first.map_err(|error| failed("`cat` cannot be run", error))?;
        Ok(Self { first, before, server: None, client: None })
    }

    /// Starts the server, in the network namespace of the calling thread. What it writes on standard output
    /// goes to standard error.
    pub fn start_server(&mut self, command: &[String]) -> Result<(), Error> {
        self.server = Some(start(command, true, Stdio::null())?);
        Ok(())
    }

    /// Starts the client, in the network namespace of the calling thread. It reads the standard input of this
    /// process, so that it may be a shell.
    pub fn start_client(&mut self, command: &[String], quiet: bool) -> Result<(), Error> {
        self.client = Some(start(command, quiet, Stdio::inherit())?);
        Ok(())
    }

    /// Waits until a socket of the server's host listens, or some seconds.
    pub fn wait_for_server(
        &mut self,
        namespaces: &Namespaces,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<(), Error> {
        let began = Instant::now();
        while began.elapsed() < PATIENCE && !namespaces.inside(1, listens)? {
            if interrupted() {
                return Err(Error::Interrupted);
            }
            if let Some(code) = exit_code(&mut self.server)? {
                return Err(Error::Failed(format!(
                    "the command of --serve ended with exit code {code} before it listened on a TCP or UDP port"
                )));
            }
            sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// Returns the exit code of the client if it has ended: 128 plus the number of the signal that ended it.
    pub fn client_exit(&mut self) -> Result<Option<i32>, Error> {
        exit_code(&mut self.client)
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        // Errors mean that a process has ended already. The first process ends only after this process has
        // waited for its children in the namespace.
        let _ = self.first.kill();
        for program in [&mut self.server, &mut self.client].into_iter().flatten() {
            let _ = program.wait();
        }
        let _ = self.first.wait();
        // In a user namespace the kernel refuses this: no process can be started any more.
        let _ = setns(&self.before, CloneFlags::CLONE_NEWPID);
    }
}

fn start(command: &[String], quiet: bool, input: Stdio) -> Result<Child, Error> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(Error::Failed("a command is empty: expected a program to run".to_owned()));
    };
    let mut command = Command::new(program);
    if quiet {
        command.stdout(std::io::stderr());
    }
    command
        .args(arguments)
        .stdin(input)
        .spawn()
        .map_err(|error| failed(&format!("`{program}` cannot be run"), error))
}

fn exit_code(program: &mut Option<Child>) -> Result<Option<i32>, Error> {
    let Some(program) = program else { return Ok(None) };
    let status = program.try_wait().map_err(|error| failed("a program cannot be waited for", error))?;
    Ok(status.map(|status| status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default())))
}

/// Returns whether a socket of the calling thread's namespace listens: a TCP socket in state 0A, or any UDP
/// socket.
fn listens() -> bool {
    let rows = |file: &str| -> Vec<String> {
        let text = fs::read_to_string(format!("/proc/thread-self/net/{file}")).unwrap_or_default();
        text.lines().skip(1).map(str::to_owned).collect()
    };
    let tcp = ["tcp", "tcp6"].iter().flat_map(|file| rows(file));
    tcp.into_iter().any(|row| row.split_whitespace().nth(3) == Some("0A"))
        || ["udp", "udp6"].iter().any(|file| !rows(file).is_empty())
}
