package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// maxReadme is how many lines somebody with a hung process reads, and maxPicture how
// many bytes a picture has.
const (
	maxReadme  = 300
	maxPicture = 150 << 10
)

// TestReadmeIsShort, and names the command that tests it where .ci/run looks for it.
func TestReadmeIsShort(t *testing.T) {
	text := documents(t)["README.md"]
	if n := strings.Count(text, "\n"); n > maxReadme {
		t.Errorf("%d lines; the manual has room (format/command/manual)", n)
	}
	if !strings.Contains(text, "<!-- test -->\n```sh\ngo test ./...\n```\n") {
		t.Error("it does not name the command that runs the tests")
	}
}

// TestReadmeLinks: files and headings that there are, and pictures of a size that loads.
func TestReadmeLinks(t *testing.T) {
	text := documents(t)["README.md"]
	headings := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^#+ (.*)$").FindAllStringSubmatch(text, -1) {
		headings[strings.ReplaceAll(strings.ToLower(m[1]), " ", "-")] = true
	}
	links := regexp.MustCompile(`(!?)\[[^\]]*\]\(([^)]*)\)`).FindAllStringSubmatch(text, -1)
	pictures := 0
	for _, m := range links {
		target, heading := m[2], strings.TrimPrefix(m[2], "#")
		switch {
		case heading != target:
			if !headings[heading] {
				t.Errorf("there is no heading %s", target)
			}
		case m[1] != "":
			pictures++
			checkPicture(t, filepath.Join("../../..", target))
		case !strings.Contains(target, "://"):
			if _, err := os.Stat(filepath.Join("../../..", target)); err != nil {
				t.Error(err)
			}
		}
	}
	if pictures != 2 {
		t.Errorf("%d pictures", pictures)
	}
	for _, m := range regexp.MustCompile(`\bscripts/[a-z]+\.sh\b|\./scripts/[a-z]+\b`).FindAllString(text, -1) {
		if _, err := os.Stat(filepath.Join("../../..", m)); err != nil {
			t.Error(err)
		}
	}
}

// checkPicture requires a picture of the kind that its name says.
func checkPicture(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
		return
	}
	begins := map[string]string{".svg": "<svg ", ".png": "\x89PNG"}[filepath.Ext(path)]
	if begins == "" || !bytes.HasPrefix(b, []byte(begins)) || len(b) > maxPicture {
		t.Errorf("%s: %d bytes that are no picture, or too many", path, len(b))
	}
}
