package hashlanes

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// The libraries are binaries that nobody can review. Whoever wants to know that they are those of
// the release compares SHA256SUMS with what the release's page lists, and runs this test.
func TestTheLibrariesOfAReleaseHaveTheirDigests(t *testing.T) {
	sums, err := os.ReadFile("SHA256SUMS")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("a checkout has no libraries")
	}
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, line := range bytes.Split(bytes.TrimSuffix(sums, []byte("\n")), []byte("\n")) {
		digest, name, found := bytes.Cut(line, []byte("  "))
		if !found {
			t.Fatalf("not a digest and a name: %q", line)
		}
		file, err := os.ReadFile(string(name))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(file); hex.EncodeToString(sum[:]) != string(digest) {
			t.Errorf("%s has another digest than SHA256SUMS says", name)
		}
		listed[string(name)] = true
	}
	archives, err := filepath.Glob("*.a")
	if err != nil {
		t.Fatal(err)
	}
	for _, archive := range append(archives, "hashlanes.h") {
		if !listed[archive] {
			t.Errorf("SHA256SUMS does not list %s", archive)
		}
	}
}
