package hashlanes_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hashlanes"
)

// program copies the program written for minio's packages to a temporary folder. Its output with
// those packages is in output.txt, which the tests of the module bench verify.
func program(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("testdata/minio-program")); err != nil {
		t.Fatal(err)
	}
	return folder
}

// goTool runs the go command and returns its output.
func goTool(t *testing.T, folder string, arguments ...string) string {
	t.Helper()
	command := exec.Command("go", arguments...)
	command.Dir = folder
	// Everything needed is in this repository.
	command.Env = append(os.Environ(), "GOFLAGS=-mod=mod -buildvcs=false", "GOPROXY=off", "GOWORK=off")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(arguments, " "), err, out)
	}
	return string(out)
}

func here(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func check(t *testing.T, got string) {
	t.Helper()
	right, err := os.ReadFile("testdata/minio-program/output.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(right) {
		t.Errorf("the output differs from that with minio's packages:\n%s", got)
	}
}

// tags returns the build tags of this test, which runs in a checkout.
func tags() string {
	if hashlanes.Available() {
		return "-tags="
	}
	return "-tags=purego"
}

func TestReplaceLinesReplaceMiniosPackages(t *testing.T) {
	folder, here := program(t), here(t)
	goTool(t, folder, "mod", "edit",
		"-replace=github.com/minio/md5-simd="+here+"/replace/md5-simd",
		"-replace=github.com/minio/sha256-simd="+here+"/replace/sha256-simd",
		"-replace=hashlanes="+here)
	goTool(t, folder, "mod", "tidy")
	check(t, goTool(t, folder, "run", tags(), "."))
}

func TestImportPathsReplaceMiniosPackages(t *testing.T) {
	folder, here := program(t), here(t)
	source := filepath.Join(folder, "main.go")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer("github.com/minio/md5-simd", "hashlanes/md5simd",
		"github.com/minio/sha256-simd", "hashlanes/sha256simd").Replace(string(text))
	if err := os.WriteFile(source, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	goTool(t, folder, "mod", "edit", "-replace=hashlanes="+here, "-require=hashlanes@v0.0.0",
		"-droprequire=github.com/minio/md5-simd", "-droprequire=github.com/minio/sha256-simd")
	goTool(t, folder, "mod", "tidy")
	check(t, goTool(t, folder, "run", tags(), "."))
}
