//! The chores that make what is published. `cargo xtask` compiles and starts this program.
//!
//! | module | what it makes |
//! |---|---|
//! | `package` | the packages of the registry |
//! | `system/` | packages for Debian and for systems with RPM |
//! | `archive`, `notices` | archives, and the notices in them that the licences of others ask for |
//! | `web/` | the npm package, and the page that hashes files |
//! | `wheels` | the Python package |
//! | `release/` | all files of a release at once |

#![forbid(unsafe_code)]

mod archive;
mod machine;
mod notices;
mod package;
mod release;
mod system;
mod version;
mod web;
mod wheels;

use std::process::ExitCode;

use clap::Parser;

/// The chores that make what is published.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
enum Chore {
    Package(package::Args),
    Deb(system::Args),
    Web(web::Args),
    Wheels(wheels::Args),
    Version(version::Args),
    Release(release::Args),
}

fn main() -> ExitCode {
    xtask::exit_code(match Chore::parse() {
        Chore::Package(args) => package::run(&args),
        Chore::Deb(args) => system::run(&args),
        Chore::Web(args) => web::run(&args),
        Chore::Wheels(args) => wheels::run(&args),
        Chore::Version(args) => version::run(&args),
        Chore::Release(args) => release::run(&args),
    })
}
