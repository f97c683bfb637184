//go:build cgo && !purego && !hashlanes_system && linux && (amd64 || arm64)

package hashlanes

// The static libraries that a released module contains, in its own folder: `go mod vendor` keeps
// what lies beside a package, and drops folders without one. SHA256SUMS has their digests.

// #cgo CFLAGS: -I${SRCDIR}
// #cgo amd64 LDFLAGS: ${SRCDIR}/libhashlanes_linux_amd64.a
// #cgo arm64 LDFLAGS: ${SRCDIR}/libhashlanes_linux_arm64.a
// #cgo LDFLAGS: -lutil -lrt -lpthread -lm -ldl
import "C"
