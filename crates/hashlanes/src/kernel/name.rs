//! A kernel by the name in the environment.

use super::contract::Kernel;

/// The value of the environment variable `HASHLANES_KERNEL`. It is read once, when it is first
/// needed.
#[cfg(feature = "std")]
fn environment() -> Option<&'static std::ffi::OsStr> {
    static VALUE: std::sync::OnceLock<Option<std::ffi::OsString>> = std::sync::OnceLock::new();
    VALUE
        .get_or_init(|| std::env::var_os("HASHLANES_KERNEL").filter(|value| !value.is_empty()))
        .as_deref()
}

/// The row that the environment asks for, if the family has it and this CPU can run it.
#[cfg(feature = "std")]
pub(crate) fn from_environment<W>(rows: &[Kernel<W>]) -> Option<usize> {
    let name = environment()?.to_str()?;
    let row = rows.iter().position(|kernel| kernel.name == name)?;
    rows[row].available().then_some(row)
}

/// Without `std` there is no environment.
#[cfg(not(feature = "std"))]
pub(crate) fn from_environment<W>(_: &[Kernel<W>]) -> Option<usize> {
    None
}

/// The name in the environment variable `HASHLANES_KERNEL`, if it is set and not empty.
///
/// See [the crate's page](crate#the-environment-variable-hashlanes_kernel) for its effect. A name
/// that no kernel has, or that this CPU cannot run, has no effect and is no error. A program that
/// wants to refuse such a name asks [`Engine::kernel`](crate::Engine::kernel), for each algorithm
/// that it uses.
#[cfg(feature = "std")]
pub fn kernel_from_environment() -> Option<std::borrow::Cow<'static, str>> {
    environment().map(|value| value.to_string_lossy())
}
