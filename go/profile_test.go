package hashlanes

import (
	"bytes"
	"compress/gzip"
	"io"
	"regexp"
	"runtime/pprof"
	"testing"
	"time"
)

// profiled returns a CPU profile of a function that is called for a while.
func profiled(t *testing.T, call func()) []byte {
	t.Helper()
	var packed bytes.Buffer
	if err := pprof.StartCPUProfile(&packed); err != nil {
		t.Skip("another profile is being taken: ", err)
	}
	for begin := time.Now(); time.Since(begin) < 200*time.Millisecond; {
		call()
	}
	pprof.StopCPUProfile()
	reader, err := gzip.NewReader(&packed)
	if err != nil {
		t.Fatal(err)
	}
	profile, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return profile
}

// TestProfilesNameKernels looks for a kernel among the functions of a profile, which has the names
// of those in which samples were taken.
func TestProfilesNameKernels(t *testing.T) {
	if SM3.properties().family.Choice().For(64).Name == "go" {
		t.Skip("no kernels in this build")
	}
	messages := make([][]byte, 64)
	for i := range messages {
		messages[i] = make([]byte, 16<<10)
	}
	for _, a := range []Algorithm{MD5, SHA256, BLAKE3} {
		kernel := regexp.MustCompile(a.String() + `\w*Kernel`)
		// A busy machine may leave no time for a sample.
		for attempts := 20; !kernel.Match(profiled(t, func() { DigestMany(a, messages) })); attempts-- {
			if attempts == 0 {
				t.Fatalf("%v: no profile names a kernel", a)
			}
		}
	}
}
