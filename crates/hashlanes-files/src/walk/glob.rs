//! Shell patterns: `*`, `**`, `?`, `[a-z]`, `{a,b}` and `\`.
//!
//! A pattern becomes steps, and a text is matched by following all ways through them at once, one
//! character after the other. So the time is at most that of steps times characters, whatever the
//! pattern. A name need not be UTF-8: a byte that is not part of a character counts as one, which
//! only `*`, `**`, `?` and `[!a]` match.

use std::iter::Peekable;
use std::str::Chars;

/// A pattern.
#[derive(Debug)]
pub(super) struct Glob {
    steps: Vec<Step>,
    /// What every text begins with.
    prefix: String,
    /// The bytes with which a text may end, if they are few: most names are refused by these.
    last: Option<Vec<u8>>,
    /// What follows the star of a pattern such as `*.txt`.
    suffix: Option<String>,
}

/// What is to be matched next. All ways lead to higher steps, or stay.
#[derive(Debug)]
enum Step {
    Char(char),
    /// Any character but `/`.
    Any,
    /// A character but `/`, in one of the ranges, or in none of them.
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
    /// Any number of characters but `/`.
    Star,
    /// Any number of characters.
    All,
    /// Goes on at one of these steps.
    Either(Vec<usize>),
}

impl Glob {
    /// # Errors
    /// If the pattern is invalid, with the reason.
    pub(super) fn new(pattern: &str) -> Result<Self, String> {
        let mut parser = Parser {
            rest: pattern.chars().peekable(),
            previous: None,
            is_first: true,
            steps: Vec::new(),
            groups: Vec::new(),
        };
        parser.parse()?;
        let steps = parser.steps;
        let literal = |step: &Step| if let Step::Char(c) = step { Some(*c) } else { None };
        let prefix = steps.iter().map_while(literal).collect();
        let last = last(&steps);
        let suffix = match &steps[..] {
            [Step::Star, rest @ ..] => rest.iter().map(literal).collect(),
            _ => None,
        };
        Ok(Self { steps, prefix, last, suffix })
    }

    /// Whether the pattern matches the whole text.
    pub(super) fn matches(&self, text: &[u8]) -> bool {
        if let Some(suffix) = &self.suffix {
            return text.strip_suffix(suffix.as_bytes()).is_some_and(|star| !star.contains(&b'/'));
        }
        let may_end = |last: &Vec<u8>| text.last().is_none_or(|byte| last.contains(byte));
        if !text.starts_with(self.prefix.as_bytes()) || !self.last.as_ref().is_none_or(may_end) {
            return false;
        }
        // The steps that may come next, and those after the next character, as bits. The last is
        // the end.
        let words = self.steps.len() / 64 + 1;
        let (mut few, mut many) = ([0; 8], Vec::new());
        let sets = match few.get_mut(..2 * words) {
            Some(sets) => sets,
            None => {
                many.resize(2 * words, 0);
                &mut many[..]
            }
        };
        let (mut now, mut next) = sets.split_at_mut(words);
        now[0] = 1;
        for chunk in text.utf8_chunks() {
            let others = chunk.invalid().iter().map(|_| None);
            for c in chunk.valid().chars().map(Some).chain(others) {
                self.advance(now, next, c);
                if next.iter().all(|&word| word == 0) {
                    return false;
                }
                std::mem::swap(&mut now, &mut next);
            }
        }
        self.advance(now, next, None);
        now[words - 1] >> (self.steps.len() % 64) & 1 == 1
    }

    /// Adds the steps that are reached without a character to `now`, and puts those that are
    /// reached with this one into `next`.
    fn advance(&self, now: &mut [u64], next: &mut [u64], c: Option<char>) {
        let add = |set: &mut [u64], i: usize| set[i / 64] |= 1 << (i % 64);
        next.fill(0);
        for word in 0..now.len() {
            let mut done = 0;
            while now[word] & !done != 0 {
                let bit = (now[word] & !done).trailing_zeros();
                done |= 1 << bit;
                let i = 64 * word + bit as usize;
                let Some(step) = self.steps.get(i) else { break };
                let to = match step {
                    Step::Char(own) => (Some(*own) == c).then_some(i + 1),
                    Step::Any => (c != Some('/')).then_some(i + 1),
                    Step::Class { negated, ranges } => {
                        let is_in = |c| ranges.iter().any(|&(low, high)| low <= c && c <= high);
                        (c != Some('/') && c.is_some_and(is_in) != *negated).then_some(i + 1)
                    }
                    Step::Star => {
                        add(now, i + 1);
                        (c != Some('/')).then_some(i)
                    }
                    Step::All => {
                        add(now, i + 1);
                        Some(i)
                    }
                    Step::Either(targets) => {
                        targets.iter().for_each(|&to| add(now, to));
                        None
                    }
                };
                if let Some(to) = to {
                    add(next, to);
                }
            }
        }
    }
}

/// The bytes with which a text that matches may end. `None` if it may be any, or the text empty.
fn last(steps: &[Step]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    // Whether the end is reached from a step without a character.
    let mut ends = vec![true; steps.len() + 1];
    for (i, step) in steps.iter().enumerate().rev() {
        ends[i] = match step {
            Step::Either(targets) => targets.iter().any(|&to| ends[to]),
            Step::Char(c) if ends[i + 1] => {
                bytes.extend(c.encode_utf8(&mut [0; 4]).bytes().next_back());
                false
            }
            _ if ends[i + 1] => return None,
            _ => false,
        };
    }
    (!ends[0]).then_some(bytes)
}

struct Parser<'p> {
    rest: Peekable<Chars<'p>>,
    /// The character before the current one.
    previous: Option<char>,
    /// Nothing has come yet in the pattern, or in this alternative.
    is_first: bool,
    steps: Vec<Step>,
    /// The groups of alternatives that are open.
    groups: Vec<Group>,
}

/// `{a,b}`.
struct Group {
    /// The step that leads to the alternatives.
    begin: usize,
    /// The steps at the ends of alternatives, which lead to the end of the group.
    ends: Vec<usize>,
}

impl Parser<'_> {
    fn parse(&mut self) -> Result<(), String> {
        while let Some(mut c) = self.rest.next() {
            let is_first = std::mem::take(&mut self.is_first);
            match c {
                '?' => self.steps.push(Step::Any),
                '*' if self.rest.peek() == Some(&'*') => {
                    self.rest.next();
                    c = self.two_stars(is_first);
                }
                '*' => self.steps.push(Step::Star),
                '[' => self.class()?,
                '{' => {
                    self.groups.push(Group { begin: self.steps.len(), ends: Vec::new() });
                    self.steps.push(Step::Either(vec![self.steps.len() + 1]));
                    self.is_first = true;
                }
                ',' if !self.groups.is_empty() => self.alternative(),
                '}' => self.end_group()?,
                '\\' => {
                    c = self.rest.next().ok_or("nothing follows the last '\\'")?;
                    self.steps.push(Step::Char(c));
                }
                c => self.steps.push(Step::Char(c)),
            }
            self.previous = Some(c);
        }
        match self.groups.is_empty() {
            true => Ok(()),
            false => Err("a '{' is not closed; to match one, write '[{]'".into()),
        }
    }

    /// `**` stands for directories if it is the whole name of one, and otherwise for `*`. Returns
    /// the last character that belongs to it.
    fn two_stars(&mut self, is_first: bool) -> char {
        let next = self.rest.peek().copied();
        let is_end = match next {
            None => true,
            Some(',' | '}') => !is_first && !self.groups.is_empty(),
            Some(_) => false,
        };
        match (is_first || self.previous == Some('/'), next) {
            (true, _) if is_end => self.steps.push(Step::All),
            (true, Some('/')) => {
                self.rest.next();
                let end = self.steps.len() + 3;
                self.steps.push(Step::Either(vec![self.steps.len() + 1, end]));
                self.steps.extend([Step::All, Step::Char('/')]);
                return '/';
            }
            _ => self.steps.push(Step::Star),
        }
        '*'
    }

    /// Ends an alternative, and begins the next.
    fn alternative(&mut self) {
        let Some(group) = self.groups.last_mut() else { return };
        group.ends.push(self.steps.len());
        self.steps.push(Step::Either(Vec::new()));
        let next = self.steps.len();
        if let Step::Either(begins) = &mut self.steps[group.begin] {
            begins.push(next);
        }
        self.is_first = true;
    }

    fn end_group(&mut self) -> Result<(), String> {
        let group = self.groups.pop().ok_or("a '}' has no '{'; to match one, write '[}]'")?;
        for end in group.ends {
            self.steps[end] = Step::Either(vec![self.steps.len()]);
        }
        Ok(())
    }

    fn class(&mut self) -> Result<(), String> {
        let negated = self.rest.next_if(|&c| matches!(c, '!' | '^')).is_some();
        let mut ranges: Vec<(char, char)> = Vec::new();
        // A `-` after a character, which may begin a range.
        let mut is_range = false;
        loop {
            match self.rest.next() {
                None => return Err("a '[' is not closed; to match one, write '[[]'".into()),
                Some(']') if !ranges.is_empty() => break,
                Some('-') if !ranges.is_empty() && !is_range => is_range = true,
                Some(c) => match ranges.last_mut() {
                    Some((low, _)) if is_range && c < *low => {
                        return Err(format!("invalid range: '{low}' comes after '{c}'"));
                    }
                    Some((_, high)) if is_range => {
                        *high = c;
                        is_range = false;
                    }
                    _ => ranges.push((c, c)),
                },
            }
        }
        if is_range {
            ranges.push(('-', '-'));
        }
        self.steps.push(Step::Class { negated, ranges });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: impl AsRef<[u8]>) -> bool {
        Glob::new(pattern).unwrap().matches(text.as_ref())
    }

    /// Each pattern with texts that it matches, and others that it does not.
    #[test]
    fn patterns_match_what_the_documentation_says() {
        for (pattern, taken, others) in [
            ("", &[""][..], &["a"][..]),
            ("a", &["a"], &["", "aa", "b"]),
            ("*", &["", "a", ".a"], &["a/b", "/"]),
            ("*.o", &["a.o", ".o", "a.o.o"], &["a.c", "o", "x/a.o"]),
            ("a*b*c", &["abc", "aXbXc", "abcbc"], &["ab", "a/bc", "acb"]),
            ("?", &["a", "é", "日"], &["", "/", "ab"]),
            ("[a-cx]", &["a", "b", "c", "x"], &["d", "-", "", "/"]),
            ("[!a-c]", &["d", "é", "-"], &["a", "b", "/"]),
            ("[^a]", &["b"], &["a"]),
            ("[]a]", &["]", "a"], &["b"]),
            ("[a-]", &["a", "-"], &["b"]),
            ("[-a]", &["a", "-"], &["b"]),
            ("[*?{,}]", &["*", "?", "{", ",", "}"], &["a", "\\"]),
            ("[α-ω]", &["λ"], &["a", "\u{3c}"]),
            ("{a,bc}d", &["ad", "bcd"], &["bd", "d", "a"]),
            ("a{,.bak}", &["a", "a.bak"], &["a.", "abak"]),
            ("{a,{b,c}d}{e,f}", &["ae", "bdf", "cde"], &["be", "cf"]),
            ("*.{jpg,png}", &["a.jpg", ".png"], &["a.gif", "jpg", "a.jpgx"]),
            ("a,b", &["a,b"], &["a", "b"]),
            (r"\*\{\\", &[r"*{\"], &[r"a{\"]),
            ("**", &["", "a", "a/b/c"], &[]),
            ("**/a", &["a", "x/a", "x/y/a"], &["xa", "a/x", "x/ya"]),
            ("a/**", &["a/b", "a/b/c"], &["a", "ab", "b/a"]),
            ("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["ab", "a/xb", "a/x/bc"]),
            ("**/a/**/*.o", &["a/x.o", "y/a/z/x.o"], &["b/x.o", "xa/x.o"]),
            ("**/**/a/**/**/b", &["a/b", "x/a/y/b"], &["a/yb"]),
            ("{a/**,b}", &["a/x", "a/x/y", "b"], &["a", "b/x"]),
            ("x/{**/a,b}", &["x/a", "x/y/a", "x/b"], &["x/y/b"]),
            ("a**b", &["ab", "axxb"], &["a/b"]),
            ("**a", &["a", "xa"], &["x/a"]),
        ] {
            for text in taken {
                assert!(matches(pattern, text), "'{pattern}' should match '{text}'");
            }
            for text in others {
                assert!(!matches(pattern, text), "'{pattern}' should not match '{text}'");
            }
        }
    }

    #[test]
    fn names_that_are_not_utf8_match() {
        assert!(matches("*.o", b"\xff\xc3.o"));
        assert!(matches("a?[!b]*", b"a\xff\xfe"));
        assert!(!matches("[\u{80}-\u{ff}]", b"\xe9"));
        assert!(!matches("\u{fffd}", b"\xff"));
        // A character that ends within a byte sequence of another.
        assert!(!matches("*\u{a9}", "é"));
    }

    #[test]
    fn invalid_patterns_have_a_reason() {
        for (pattern, reason) in [
            ("[a", "a '[' is not closed; to match one, write '[[]'"),
            ("[]", "a '[' is not closed; to match one, write '[[]'"),
            ("a{b", "a '{' is not closed; to match one, write '[{]'"),
            ("{{a}", "a '{' is not closed; to match one, write '[{]'"),
            ("a}", "a '}' has no '{'; to match one, write '[}]'"),
            ("[b-a]", "invalid range: 'b' comes after 'a'"),
            ("a\\", "nothing follows the last '\\'"),
        ] {
            assert_eq!(Glob::new(pattern).unwrap_err(), reason, "{pattern}");
        }
    }

    /// Matchers that try one way after the other take years for these.
    #[test]
    fn hostile_patterns_are_matched() {
        let text = "a".repeat(2000);
        assert!(!matches(&format!("{}b", "*a".repeat(100)), text.clone() + "cb"));
        assert!(!matches(&format!("{}b?", "{a,aa}".repeat(100)), text.clone() + "bcb"));
        assert!(!matches(&format!("{}b?", "**/".repeat(100)), "a/".repeat(1000) + "bcb"));
        let nested = "{a,".repeat(10_000) + "b" + &"}".repeat(10_000);
        assert!(matches(&nested, "b") && !matches(&nested, "c"));
        // More steps than fit in the memory for usual patterns.
        assert!(matches(&format!("{}*b", "?".repeat(1000)), text + "b"));
    }
}
