module hashlanes/bench

go 1.24

require (
	github.com/minio/md5-simd v1.1.2
	github.com/minio/sha256-simd v1.0.1
	hashlanes v0.0.0
)

require (
	github.com/klauspost/cpuid/v2 v2.2.3 // indirect
	golang.org/x/sys v0.0.0-20220704084225-05e143d24a9e // indirect
)

replace hashlanes => ../
