//go:build !gc || purego || openbsd || !(amd64 || arm64)

package kernels

// OpenBSD forbids reading what is among the instructions, as the constants are.
var rows [families][]Row

func detect() feature { return 0 }

func core() int { return 0 }
