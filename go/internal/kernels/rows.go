//go:build gc && !purego && !openbsd && (amd64 || arm64)

package kernels

var rows = [families][]Row{
	MD5: md5Rows, SHA1: sha1Rows, SHA256: sha256Rows, SHA512: sha512Rows, SM3: sm3Rows,
	Keccak: keccakRows, BLAKE2b: blake2bRows, BLAKE2s: blake2sRows, BLAKE3: blake3Rows,
}
