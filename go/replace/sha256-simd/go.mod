module github.com/minio/sha256-simd

go 1.24

require hashlanes v0.0.0

replace hashlanes => ../../
