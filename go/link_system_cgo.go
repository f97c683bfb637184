//go:build cgo && !purego && hashlanes_system

package hashlanes

// The C library of this system: in a checkout, which has no libraries, or for a system that the
// module has none for.

// #cgo pkg-config: hashlanes-static
import "C"
