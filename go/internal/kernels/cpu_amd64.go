//go:build gc && !purego && !openbsd

package kernels

import "sync"

// The features, in the order of `cargo xtask go-assembly`.
const (
	sse41  feature = 1 << iota // SSSE3 and SSE4.1.
	avx2                       // With the 256-bit registers enabled.
	avx512                     // F, BW, DQ and VL, with AVX2, FMA, F16C and the registers enabled.
	vbmi2                      // Of AVX-512.
	shaNI                      // SHA-1 and SHA-256.
	bmi2                       // BMI1 and BMI2.
	movbe
	sha512NI
	sm3NI
	mixedEncodings // Instructions of SSE may stand among those of AVX: AMD, with AVX-512.
)

func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)

// xgetbv returns XCR0: which registers the system saves.
func xgetbv() uint32

type cpu struct {
	features feature
	core     int
}

var look = sync.OnceValue(func() (c cpu) {
	most, vendor, _, _ := cpuid(0, 0)
	signature, _, ecx1, _ := cpuid(1, 0)
	var ebx7, ecx7 uint32
	if most >= 7 {
		_, ebx7, ecx7, _ = cpuid(7, 0)
	}
	has := func(register uint32, bits ...int) bool {
		for _, bit := range bits {
			if register>>bit&1 == 0 {
				return false
			}
		}
		return true
	}
	var saved uint32
	if has(ecx1, 27) {
		saved = xgetbv()
	}
	ymm, zmm := has(saved, 1, 2), has(saved, 1, 2, 5, 6, 7)
	add := func(present bool, f feature) {
		if present {
			c.features |= f
		}
	}
	// "Auth" of AuthenticAMD, or "Hygo" of HygonGenuine, whose cores are AMD's.
	isAMD := vendor == 0x68747541 || vendor == 0x6f677948
	hasAVX512 := zmm && has(ecx1, 12, 28, 29) && has(ebx7, 5, 16, 17, 30, 31)
	add(has(ecx1, 9, 19), sse41)
	add(ymm && has(ecx1, 28) && has(ebx7, 5), avx2)
	add(hasAVX512, avx512)
	add(zmm && has(ecx7, 6), vbmi2)
	add(has(ebx7, 29), shaNI)
	add(has(ebx7, 3, 8), bmi2)
	add(has(ecx1, 22), movbe)
	add(isAMD && hasAVX512, mixedEncodings)
	if isAMD {
		c.core = amd
		family, model := int(signature>>8&0xf), int(signature>>4&0xf)
		if family == 0xf {
			family, model = family+int(signature>>20&0xff), model|int(signature>>12&0xf0)
		}
		for _, m := range models {
			if m.family == family && m.first <= model && model <= m.last {
				c.core = m.core
			}
		}
	}
	return c
})

func detect() feature { return look().features }

func core() int { return look().core }
