//! The program's arguments. `hashlanes sum -c` means `hashlanes check`, for users of `sha256sum
//! -c`.

use std::ffi::OsString;

/// The program's name and arguments.
#[cfg(not(windows))]
pub(crate) fn arguments() -> impl Iterator<Item = OsString> {
    std::env::args_os()
}

/// The program's name and arguments. As a Unix shell does, an unquoted argument with `*` or `?` is
/// replaced by the files that it matches, or kept if there are none.
#[cfg(windows)]
pub(crate) fn arguments() -> impl Iterator<Item = OsString> {
    wild::args_os()
}

/// Turns the arguments of `sum` into those of `check` if they include `-c` or `--check`.
pub(crate) fn rewrite(arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.get(1).is_none_or(|command| command != "sum") {
        return arguments;
    }
    let options = arguments.iter().position(|argument| argument == "--");
    let options = options.unwrap_or(arguments.len());
    if !arguments[2..options].iter().any(|argument| without_check(argument).is_some()) {
        return arguments;
    }
    let mut rewritten = Vec::with_capacity(arguments.len());
    for (index, argument) in arguments.into_iter().enumerate() {
        match index {
            1 => rewritten.push("check".into()),
            _ if index < 2 || index >= options => rewritten.push(argument),
            _ => match without_check(&argument) {
                Some(rest) => rewritten.extend(rest),
                None => rewritten.push(argument),
            },
        }
    }
    rewritten
}

/// The rest of an argument that requests `check`: `-w` of `-cw`, nothing of `-c`. `None` for other
/// arguments.
fn without_check(argument: &OsString) -> Option<Option<OsString>> {
    let text = argument.to_str()?;
    if text == "--check" {
        return Some(None);
    }
    let letters = text.strip_prefix('-')?;
    let before = letters.split('c').next()?;
    // `-a` takes the rest as its argument. Two dashes begin a long option.
    let asks = letters.contains('c') && !before.contains(['a', '-']);
    asks.then(|| {
        let rest = letters.replacen('c', "", 1);
        (!rest.is_empty()).then(|| format!("-{rest}").into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_option_of_sum_makes_it_check() {
        let rewritten = |line: &str| {
            let words = rewrite(line.split(' ').map(OsString::from).collect());
            words.into_iter().map(|word| word.into_string().unwrap()).collect::<Vec<_>>().join(" ")
        };
        for (given, expected) in [
            ("hashlanes sum -c S", "hashlanes check S"),
            ("hashlanes sum S --check --quiet", "hashlanes check S --quiet"),
            ("hashlanes sum -cw -a md5 S", "hashlanes check -w -a md5 S"),
            ("hashlanes sum -wc S", "hashlanes check -w S"),
            ("hashlanes sum -c -- -c", "hashlanes check -- -c"),
        ] {
            assert_eq!(rewritten(given), expected);
        }
        for other in [
            "hashlanes sum -- -c",
            "hashlanes sum -acrc32 c",
            "hashlanes sum --exclude c - abc",
            "hashlanes info -c",
            "hashlanes",
        ] {
            assert_eq!(rewritten(other), other);
        }
    }
}
