//go:build !cgo || purego

package hashlanes

func forceLanes(Algorithm)    {}
func forceStandard(Algorithm) {}
