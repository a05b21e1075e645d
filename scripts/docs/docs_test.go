package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the repository, seen from here.
const root = "../.."

// documents are those that are read, with the lines that each may have; 0: any number.
var documents = map[string]int{"README.md": 0, "ARCHITECTURE.md": 400}

// text reads a file of the repository.
func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func exists(path string) bool {
	_, err := os.Stat(filepath.Join(root, path))
	return err == nil
}

func TestLength(t *testing.T) {
	for name, most := range documents {
		if n := strings.Count(text(t, name), "\n"); most > 0 && n > most {
			t.Errorf("%s has %d lines, and may have %d", name, n, most)
		}
	}
}

// TestGlossary: a term is a line, and there are not more than somebody reads.
func TestGlossary(t *testing.T) {
	_, terms, ok := strings.Cut(text(t, "ARCHITECTURE.md"), "\n## Glossary\n")
	const most = 40
	if n := strings.Count(terms, "\n| ") - 1; !ok || n < 1 || n > most { // but for the head
		t.Errorf("the glossary of ARCHITECTURE.md has %d terms, and may have %d", n, most)
	}
}

// link is a link or a picture of Markdown, in its brackets and parentheses, or of HTML.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"`)

// TestLinks: files, pictures and headings that are linked to are there. Links to the
// web are not followed.
func TestLinks(t *testing.T) {
	for name := range documents {
		for _, m := range link.FindAllStringSubmatch(withoutCode(text(t, name)), -1) {
			target := m[1] + m[2]
			if strings.Contains(target, "://") {
				continue
			}
			path, anchor, _ := strings.Cut(target, "#")
			if path == "" {
				path = name
			}
			if !exists(path) {
				t.Errorf("%s links to %s, which is not there", name, target)
			} else if anchor != "" && !hasHeading(text(t, path), anchor) {
				t.Errorf("%s links to %s, and %s has no such heading", name, target, path)
			}
		}
	}
}

var fence = regexp.MustCompile("(?ms)^```.*?^```")

// withoutCode leaves out the blocks of code.
func withoutCode(s string) string { return fence.ReplaceAllString(s, "") }

var (
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	noAnchor = regexp.MustCompile("[^a-z0-9 _-]")
)

// hasHeading reports whether a document has a heading of an anchor, as GitHub makes it.
func hasHeading(document, anchor string) bool {
	for _, m := range heading.FindAllStringSubmatch(withoutCode(document), -1) {
		if strings.ReplaceAll(noAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-") == anchor {
			return true
		}
	}
	return false
}

// named is a file or directory of the repository in backquotes, with what is declared
// there behind a colon: `task/sampler.go:list`.
var named = regexp.MustCompile("`((?:task|unwind|images|format|scripts|\\.ci|\\.github)/[\\w./*-]*|main\\.go)(?::(\\w+))?`")

// TestPaths: what a document names is there, and declares what it says.
func TestPaths(t *testing.T) {
	for name := range documents {
		all := named.FindAllStringSubmatch(text(t, name), -1)
		if len(all) == 0 {
			t.Errorf("%s names no file", name)
		}
		for _, m := range all {
			path, declared := m[1], m[2]
			if found, err := filepath.Glob(filepath.Join(root, path)); err != nil || len(found) == 0 {
				t.Errorf("%s names %s, which is not there", name, path)
			} else if declared != "" && !declares(text(t, path), declared) {
				t.Errorf("%s names %s in %s, which does not declare it", name, declared, path)
			}
		}
	}
}

// declares reports whether a file of Go declares a function, method or type, or any
// other file a line that begins with the name.
func declares(file, name string) bool {
	return regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?|type |var |const |\t)?` + name + `\b`).MatchString(file)
}

// rooms is a line of the list of packages, with one directory or several that belong
// together; room is one of them.
var (
	rooms = regexp.MustCompile("(?m)^\\| ((?:`[^`]+/`(?:, )?)+) \\|")
	room  = regexp.MustCompile("`([^`]+)/`")
)

// TestRooms: each directory with a package is in one line of ARCHITECTURE.md, and there
// is no other.
func TestRooms(t *testing.T) {
	listed := map[string]int{}
	for _, line := range rooms.FindAllStringSubmatch(text(t, "ARCHITECTURE.md"), -1) {
		for _, m := range room.FindAllStringSubmatch(line[1], -1) {
			listed[m[1]]++
		}
	}
	for _, dir := range packages(t) {
		if listed[dir] != 1 {
			t.Errorf("ARCHITECTURE.md has %d lines on `%s/` in its list of rooms, want 1", listed[dir], dir)
		}
		delete(listed, dir)
	}
	for dir := range listed {
		t.Errorf("ARCHITECTURE.md has a room %s/, in which there is no package", dir)
	}
}

// packages lists the directories below the root that have Go files, without those that
// the go tool does not look into.
func packages(t *testing.T) (dirs []string) {
	t.Helper()
	files, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.IsDir() && f.Name() != "build" && f.Name()[0] != '.' {
			dirs = append(dirs, packagesIn(t, f.Name())...)
		}
	}
	return dirs
}

func packagesIn(t *testing.T, dir string) (dirs []string) {
	t.Helper()
	files, err := os.ReadDir(filepath.Join(root, dir))
	if err != nil {
		t.Fatal(err)
	}
	any := false
	for _, f := range files {
		switch {
		case f.IsDir() && f.Name() != "testdata" && f.Name()[0] != '_' && f.Name()[0] != '.':
			dirs = append(dirs, packagesIn(t, dir+"/"+f.Name())...)
		case strings.HasSuffix(f.Name(), ".go"):
			any = true
		}
	}
	if any {
		dirs = append(dirs, dir)
	}
	return dirs
}
