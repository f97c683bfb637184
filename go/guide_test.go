package hashlanes_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// block returns the first block of this kind in a page.
func block(t *testing.T, page, kind string) string {
	t.Helper()
	_, after, found := strings.Cut(page, "```"+kind+"\n")
	text, _, closed := strings.Cut(after, "```\n")
	if !found || !closed {
		t.Fatalf("the page has no block of %s", kind)
	}
	return text
}

func TestTheRecipeInTheGuideReplacesMiniosPackages(t *testing.T) {
	page, err := os.ReadFile("../docs/guide/go.md")
	if os.IsNotExist(err) {
		t.Skip("the guide is missing")
	}
	folder := program(t)
	recipe := strings.ReplaceAll(block(t, string(page), "sh"), "\\\n", " ")
	recipe = strings.ReplaceAll(recipe, "/path/to/checkout/go", here(t))
	for _, line := range strings.Split(strings.TrimSpace(recipe), "\n") {
		// The tag with which this test was built, in place of the guide's.
		words := strings.Fields(strings.Replace(line, "-tags hashlanes_system", tags(), 1))
		if words[0] != "go" {
			t.Fatalf("no command of go: %s", line)
		}
		goTool(t, folder, words[1:]...)
	}
	check(t, goTool(t, folder, "run", tags(), "."))
}

func TestTheProgramInTheGuidePrintsTheDocumentedOutput(t *testing.T) {
	page, err := os.ReadFile("../docs/guide/go.md")
	if os.IsNotExist(err) {
		t.Skip("the guide is missing")
	}
	folder := t.TempDir()
	source := block(t, string(page), "go")
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	goTool(t, folder, "mod", "init", "guide")
	goTool(t, folder, "mod", "edit", "-require=hashlanes@v0.0.0", "-replace=hashlanes="+here(t))
	if got := goTool(t, folder, "run", tags(), "."); got != block(t, string(page), "text") {
		t.Errorf("unexpected output:\n%s", got)
	}
}
