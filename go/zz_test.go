package hashlanes
import ("testing";"crypto/md5";"crypto/sha256";"fmt")
func BenchmarkMany(b *testing.B){
 for _, a := range []Algorithm{MD5,SHA1,SHA256,SHA512,SM3,SHA3_256,BLAKE2b,BLAKE3} { for _, n := range []int{32,64,100,1024,16384} {
  ms := make([][]byte,64); for i := range ms { ms[i]=make([]byte,n) }
  b.Run(fmt.Sprint(a,"/",n), func(b *testing.B){ b.SetBytes(int64(64*n)); for range b.N { DigestMany(a,ms) } })
  if std := standard(a); std != nil { b.Run(fmt.Sprint(a,"/",n,"/std"), func(b *testing.B){ b.SetBytes(int64(64*n)); for range b.N { for _, m := range ms { switch a { case MD5: md5.Sum(m); case SHA256: sha256.Sum256(m); default: std.Reset(); std.Write(m); std.Sum(nil) } } } }) }
 }}
}
