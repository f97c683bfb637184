module program

go 1.24

require (
	github.com/minio/md5-simd v1.1.2
	github.com/minio/sha256-simd v1.0.1
)
