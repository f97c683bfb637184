//! From the value of an algorithm to its type.

/// Evaluates an expression with the type `$function` that stands for the value `$algorithm`.
macro_rules! with_function {
    ($algorithm:expr, $function:ident => $body:expr) => {
        match $algorithm {
            $crate::Algorithm::Md5 => {
                type $function = $crate::Md5;
                $body
            }
            $crate::Algorithm::Sha1 => {
                type $function = $crate::Sha1;
                $body
            }
            $crate::Algorithm::Sha224 => {
                type $function = $crate::Sha224;
                $body
            }
            $crate::Algorithm::Sha256 => {
                type $function = $crate::Sha256;
                $body
            }
            $crate::Algorithm::Sha384 => {
                type $function = $crate::Sha384;
                $body
            }
            $crate::Algorithm::Sha512 => {
                type $function = $crate::Sha512;
                $body
            }
            $crate::Algorithm::Sha512_256 => {
                type $function = $crate::Sha512_256;
                $body
            }
        }
    };
}

pub(crate) use with_function;
