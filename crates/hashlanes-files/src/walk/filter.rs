//! Selects files of a tree by shell patterns.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use fast_glob::glob_match;

/// Patterns of files to exclude and to include.
///
/// `*` and `?` match bytes other than `/`, `[a-z]` matches one of a set and `[!a-z]` one that is
/// not, `{a,b}` one of several patterns (at most ten times in a pattern), `**` any number of
/// directories, and `\*` a `*`. A pattern without `/` is compared with the name of each file and
/// directory. One with `/` is compared with the path below the root. A pattern that ends in `/`
/// matches only directories.
#[derive(Debug, Default)]
pub struct Filter {
    /// Names and paths that are excluded, with everything below them.
    exclude: Set,
    /// The same, for directories only.
    exclude_directories: Set,
    /// If not empty, only files that match are taken.
    include: Set,
}

/// An invalid pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    pattern: String,
    reason: String,
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid pattern '{}': {}", self.pattern, self.reason)
    }
}

impl std::error::Error for FilterError {}

impl Filter {
    /// Takes the files that match a pattern of `include`, or all files if that is empty. Leaves out
    /// what matches a pattern of `exclude`, with everything below it.
    ///
    /// # Errors
    /// If a pattern is invalid, or if a pattern of `include` is for directories.
    pub fn new<S: AsRef<str>>(exclude: &[S], include: &[S]) -> Result<Self, FilterError> {
        let of_directory = |pattern: &&str| pattern.len() > 1 && pattern.ends_with('/');
        let exclude = || exclude.iter().map(AsRef::as_ref);
        let include = || include.iter().map(AsRef::as_ref);
        if let Some(pattern) = include().find(of_directory) {
            let reason = format!("it must match files; for all files below, write '{pattern}**'");
            return Err(FilterError { pattern: pattern.into(), reason });
        }
        Ok(Self {
            exclude: Set::new(exclude().filter(|pattern| !of_directory(pattern)))?,
            exclude_directories: Set::new(
                exclude().filter(of_directory).map(|pattern| &pattern[..pattern.len() - 1]),
            )?,
            include: Set::new(include())?,
        })
    }

    /// Whether an entry of the directory `above`, a path below the root, is wanted.
    pub(super) fn takes(&self, above: &Path, name: &OsStr, is_directory: bool) -> bool {
        let excluded = self.exclude.matches(above, name)
            || is_directory && self.exclude_directories.matches(above, name);
        !excluded && (is_directory || self.include.is_empty() || self.include.matches(above, name))
    }
}

/// Patterns for names, and for paths.
#[derive(Debug, Default)]
struct Set {
    names: Vec<String>,
    paths: Vec<String>,
}

impl Set {
    fn new<'p>(patterns: impl Iterator<Item = &'p str>) -> Result<Self, FilterError> {
        let mut set = Self::default();
        for pattern in patterns {
            fast_glob::validate(pattern).map_err(|error| FilterError {
                pattern: pattern.into(),
                reason: error.to_string(),
            })?;
            let below_root = pattern.strip_prefix('/').unwrap_or(pattern);
            // To the matcher, a `!` at the beginning negates the pattern.
            let escape = if below_root.starts_with('!') { "\\" } else { "" };
            let kind = if pattern.contains('/') { &mut set.paths } else { &mut set.names };
            kind.push(format!("{escape}{below_root}"));
        }
        Ok(set)
    }

    fn is_empty(&self) -> bool {
        self.names.is_empty() && self.paths.is_empty()
    }

    fn matches(&self, above: &Path, name: &OsStr) -> bool {
        let matches = |globs: &[String], text: &OsStr| {
            globs.iter().any(|glob| glob_match(glob, text.as_encoded_bytes()))
        };
        matches(&self.names, name)
            || !self.paths.is_empty() && matches(&self.paths, above.join(name).as_os_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(exclude: &[&str], include: &[&str], path: &str) -> bool {
        let filter = Filter::new(exclude, include).unwrap();
        let is_directory = path.ends_with('/');
        let path = Path::new(path.trim_end_matches('/'));
        filter.takes(path.parent().unwrap(), path.file_name().unwrap(), is_directory)
    }

    #[test]
    fn a_pattern_without_a_slash_is_for_names() {
        assert!(!takes(&["*.o"], &[], "a.o"));
        assert!(!takes(&["*.o"], &[], "x/y/a.o"));
        assert!(!takes(&["*.o"], &[], "x/a.o/"));
        assert!(takes(&["*.o"], &[], "x.o/a.c"));
        assert!(!takes(&["[ab]?{c,d}"], &[], "b.d"));
        assert!(takes(&["[ab]?{c,d}"], &[], "c.d"));
        assert!(!takes(&[r"\*"], &[], "*"));
        assert!(takes(&[r"\*"], &[], "a"));
    }

    #[test]
    fn an_exclamation_mark_negates_a_set_only() {
        assert!(!takes(&["!a"], &[], "!a"));
        assert!(takes(&["!a"], &[], "b"));
        assert!(!takes(&["[!a]"], &[], "b"));
        assert!(takes(&["[!a]"], &[], "a"));
        assert!(!takes(&["/!a/*"], &[], "!a/b"));
        assert!(takes(&["/!a/*"], &[], "b/b"));
    }

    #[test]
    fn an_alternative_may_be_empty_or_have_alternatives() {
        for name in ["a", "a.bak"] {
            assert!(!takes(&["a{,.bak}"], &[], name));
        }
        for (name, taken) in [("ae", false), ("bdf", false), ("be", true), ("cf", true)] {
            assert_eq!(takes(&["{a,{b,c}d}{e,f}"], &[], name), taken, "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_name_need_not_be_utf8() {
        use std::os::unix::ffi::OsStrExt;

        let filter = Filter::new(&["*\u{e9}?.o"], &[]).unwrap();
        let takes = |name| filter.takes(Path::new(""), OsStr::from_bytes(name), false);
        assert!(!takes(b"\xff\xc3\xa9\xff.o") && takes(b"\xff\xe9\xff.o"));
    }

    #[test]
    fn a_pattern_with_a_slash_is_for_paths() {
        assert!(!takes(&["x/*.o"], &[], "x/a.o"));
        assert!(takes(&["x/*.o"], &[], "x/y/a.o"));
        assert!(takes(&["x/*.o"], &[], "y/x/a.o"));
        assert!(!takes(&["**/x/*.o"], &[], "y/x/a.o"));
        assert!(!takes(&["/a"], &[], "a"));
        assert!(takes(&["/a"], &[], "x/a"));
    }

    #[test]
    fn a_pattern_may_be_for_directories() {
        assert!(!takes(&["target/"], &[], "x/target/"));
        assert!(takes(&["target/"], &[], "x/target"));
        assert!(!takes(&["/x/target/"], &[], "x/target/"));
        assert!(takes(&["/x/target/"], &[], "y/target/"));
    }

    #[test]
    fn files_to_take_are_found_in_all_directories() {
        assert!(takes(&[], &["*.rs"], "x/a.rs"));
        assert!(!takes(&[], &["*.rs"], "x/a.c"));
        assert!(takes(&[], &["*.rs"], "x/"));
        assert!(takes(&[], &["src/**"], "src/x/a"));
        assert!(!takes(&[], &["src/**"], "x/a"));
        assert!(!takes(&["b*"], &["*.rs"], "b.rs"));
    }

    #[test]
    fn an_invalid_pattern_is_refused() {
        let refused = |exclude: &[&str], include: &[&str]| {
            Filter::new(exclude, include).unwrap_err().to_string()
        };
        for pattern in ["[a", "a{b", "a\\", &"{a,b}".repeat(11)] {
            let expected = format!("invalid pattern '{pattern}': ");
            assert!(refused(&[pattern], &[]).starts_with(&expected), "{pattern}");
        }
        assert!(refused(&[], &["a/"]).contains("write 'a/**'"));
    }
}
