//go:build gc && !purego

package kernels

import "testing"

func TestEachBitOfTheKernelCounts(t *testing.T) {
	for _, c := range []struct {
		bits  uint64
		found feature
	}{
		{0, 0},
		{1 << 5, 0},
		{1 << 6, 0},
		{1<<5 | 1<<6, armSHA2},
		{1 << 17, 0},
		{1 << 21, 0},
		{1<<17 | 1<<21, armSHA3},
		{1<<17 | 1<<38, 0},
		{^uint64(0), armSHA2 | armSHA3},
	} {
		if found := ofCapabilities(c.bits); found != c.found {
			t.Errorf("bits %#x: got %d, expected %d", c.bits, found, c.found)
		}
	}
}
