//! Kernels by name, from code or from the environment.

use super::contract::Kernel;

/// The row of the kernel with this name, whether this CPU can run it or not.
pub(crate) fn named<W>(rows: &[Kernel<W>], name: &str) -> Option<usize> {
    rows.iter().position(|kernel| kernel.name == name)
}

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
    let row = named(rows, environment()?.to_str()?)?;
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
/// wants to refuse such a name asks [`Engine::with_kernel`](crate::Engine::with_kernel) or
/// [`AnyEngine::with_kernel`](crate::AnyEngine::with_kernel), for each algorithm that it uses.
#[cfg(feature = "std")]
pub fn kernel_from_environment() -> Option<std::borrow::Cow<'static, str>> {
    environment().map(|value| value.to_string_lossy())
}
