//! Unrolled loops.
//!
//! The message schedule stays in registers only if every index into it is a constant, and the
//! compiler does not promise to unroll a loop of 64 rounds. So `unroll!(16, I => { .. })` writes
//! the block sixteen times, with the constant `I: usize` = 0, 1, .. 15.

macro_rules! unroll {
    (2, $i:ident => $body:block) => {
        unroll!(@each $i $body 0 1)
    };
    (4, $i:ident => $body:block) => {
        unroll!(@each $i $body 0 1 2 3)
    };
    (5, $i:ident => $body:block) => {
        unroll!(@each $i $body 0 1 2 3 4)
    };
    (7, $i:ident => $body:block) => {
        unroll!(@each $i $body 0 1 2 3 4 5 6)
    };
    (8, $i:ident => $body:block) => {
        unroll!(@each $i $body 0 1 2 3 4 5 6 7)
    };
    (10, $i:ident => $body:block) => {
        unroll!(@each $i $body 0 1 2 3 4 5 6 7 8 9)
    };
    (12, $i:ident => $body:block) => {
        unroll!(@each $i $body 0 1 2 3 4 5 6 7 8 9 10 11)
    };
    (16, $i:ident => $body:block) => {
        unroll!(@each $i $body 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (20, $i:ident => $body:block) => {
        unroll!(@each $i $body 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19)
    };
    (@each $i:ident $body:block $($value:literal)*) => {
        $({
            const $i: usize = $value;
            $body
        })*
    };
}

/// Adds new words to the first ones of a state, or combines them by another method.
macro_rules! accumulate {
    ($state:ident, $method:ident, [$($new:ident),*]) => {
        let new = [$(&$new),*];
        unroll!(8, I => {
            if I < new.len() {
                $state[I] = $state[I].$method(new[I % new.len()]);
            }
        });
    };
}

pub(crate) use {accumulate, unroll};
