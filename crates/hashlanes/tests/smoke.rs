use hashlanes::*;
#[test]
fn smoke() {
    for a in Algorithm::ALL {
        let d = a.digest_many(&["", "abc"]);
        println!("{a} {} {}", d[0], d[1]);
        for k in a.kernels() {
            if !k.is_available() {
                continue;
            }
            let e = AnyEngine::with_kernel(a, k.name).unwrap();
            let d2 = e.digest_many(&["", "abc"]);
            assert_eq!(d, d2, "{a} {}", k.name);
        }
    }
}
