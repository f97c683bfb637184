//! The program is killed at random moments, and resumed: the manifest must be that of a run that
//! nobody disturbed.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::Scripts;
use super::faults::{fill, finished};
use super::random::Random;
use super::server::Server;

const BUCKET: &str = "kills";

pub(super) fn run(scripts: &Scripts, server: &Server, wanted: u64) -> Result<()> {
    fill(scripts, server, BUCKET, 600)?;
    let resume = |manifest: &str| {
        let mut command = scripts.program(&server.url);
        command.args(["sum", "-r", "--resume", manifest]).arg(format!("s3://{BUCKET}/"));
        command
    };
    let begin = Instant::now();
    let undisturbed = finished(&mut resume("undisturbed"))?;
    let taken = begin.elapsed();
    let messages = String::from_utf8_lossy(&undisturbed.stderr).into_owned();
    ensure!(undisturbed.status.success(), "a run that nobody disturbed failed:\n{messages}");
    let expected = fs::read(scripts.folder.join("undisturbed"))?;
    let mut random = Random(wanted);
    let (mut kills, mut manifests) = (0, 0);
    while kills < wanted {
        let manifest = format!("disturbed-{manifests}");
        // A run is killed a few times, then left to its end.
        for _ in 0..=random.below(5) {
            kills += u64::from(kill(resume(&manifest), taken, &mut random)?);
        }
        let last = finished(&mut resume(&manifest))?;
        let messages = String::from_utf8_lossy(&last.stderr).into_owned();
        ensure!(last.status.success(), "a resumed run failed:\n{messages}");
        let found = fs::read(scripts.folder.join(&manifest)).context("no manifest")?;
        ensure!(found == expected, "after {kills} kills, {manifest} differs");
        manifests += 1;
    }
    println!("kills: {kills}, half of them interrupts; {manifests} manifests, all the same");
    Ok(())
}

/// Starts the command, and kills or interrupts it within the time that it takes. Returns whether
/// it was still running.
fn kill(mut command: Command, taken: Duration, random: &mut Random) -> Result<bool> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().context("cannot start the program")?;
    sleep(Duration::from_micros(random.below(taken.as_micros() as u64 + 1)));
    let running = child.try_wait()?.is_none();
    if running && random.below(2) == 0 {
        let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
        ensure!(interrupt.success(), "kill -INT failed");
    } else {
        child.kill()?;
    }
    child.wait()?;
    Ok(running)
}
