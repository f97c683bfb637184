//go:build !cgo || purego || !(hashlanes_system || (linux && (amd64 || arm64)))

package hashlanes

func forceLanes(Algorithm)    {}
func forceStandard(Algorithm) {}
