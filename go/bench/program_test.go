package main

import (
	"os"
	"os/exec"
	"testing"
)

// Checks the expected output with minio's own packages. The tests of hashlanes build the same
// program with hashlanes in place of those.
func TestProgramWithMiniosPackages(t *testing.T) {
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("../testdata/minio-program")); err != nil {
		t.Fatal(err)
	}
	right, err := os.ReadFile("../testdata/minio-program/output.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{{"mod", "tidy"}, {"run", "."}} {
		command := exec.Command("go", arguments...)
		command.Dir = folder
		command.Env = append(os.Environ(), "GOWORK=off")
		command.Stderr = os.Stderr
		out, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		if arguments[0] == "run" && string(out) != string(right) {
			t.Errorf("unexpected output:\n%s", out)
		}
	}
}
