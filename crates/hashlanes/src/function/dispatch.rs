//! From the value of an algorithm to its type.

/// Calls a macro with the names of all functions, in brackets, and then with the other arguments.
/// This is the one list of them beside [`Algorithm`](crate::Algorithm).
macro_rules! with_functions {
    ($macro:ident! { $($arguments:tt)* }) => {
        $macro! { [Md5 Sha1 Sha224 Sha256 Sha384 Sha512 Sha512_256 Sm3] $($arguments)* }
    };
}

/// Evaluates an expression with the type `$function` that stands for the value `$algorithm`.
macro_rules! with_function {
    ([$($name:ident)*] $algorithm:expr, $function:ident => $body:expr) => {
        match $algorithm {
            $($crate::Algorithm::$name => {
                type $function = $crate::$name;
                $body
            })*
        }
    };
    ($algorithm:expr, $function:ident => $body:expr) => {
        $crate::function::with_functions!(with_function! {
            $algorithm, $function => $body
        })
    };
}

/// Declares an enum with a variant for each function, which holds the generic type `$typed` of it,
/// in place.
macro_rules! each_function {
    ([$($function:ident)*] $(#[$doc:meta])* enum $name:ident of $typed:ident) => {
        $(#[$doc])*
        enum $name {
            $($function($typed<$crate::$function>),)*
        }
    };
    ($(#[$doc:meta])* enum $name:ident of $typed:ident) => {
        $crate::function::with_functions!(each_function! { $(#[$doc])* enum $name of $typed });
    };
}

/// The variant of an [`each_function!`] enum for the value `$algorithm`, made of an expression.
macro_rules! variant_for {
    ([$($function:ident)*] $algorithm:expr, $name:ident($body:expr)) => {
        match $algorithm {
            $($crate::Algorithm::$function => $name::$function($body),)*
        }
    };
    ($algorithm:expr, $name:ident($body:expr)) => {
        $crate::function::with_functions!(variant_for! { $algorithm, $name($body) })
    };
}

/// Evaluates an expression with what an [`each_function!`] enum holds. With `=> $to(..)` the value
/// goes to the same variant of another such enum.
macro_rules! with_variant {
    ([$($function:ident)*] $value:expr, $name:ident($typed:ident) => to $to:ident($body:expr)) => {
        match $value {
            $($name::$function($typed) => $to::$function($body),)*
        }
    };
    ([$($function:ident)*] $value:expr, $name:ident($typed:ident) => $body:expr) => {
        match $value {
            $($name::$function($typed) => $body,)*
        }
    };
    ($value:expr, $name:ident($typed:ident) => $($body:tt)*) => {
        $crate::function::with_functions!(with_variant! { $value, $name($typed) => $($body)* })
    };
}

pub(crate) use {each_function, variant_for, with_function, with_functions, with_variant};
