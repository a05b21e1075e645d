package output

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestProgressLeavesTheLastColumn free also when the line has just its width.
func TestProgressLeavesTheLastColumn(t *testing.T) {
	for w, want := range map[int]int{4: 3, 5: 4, 6: 5} {
		p := Progress{Width: func() int { return w }}
		if got := p.cut("12345"); len(got) != want {
			t.Errorf("%d columns: %q", w, got)
		}
	}
}

// TestFilesOfOneSecond end at a number.
func TestFilesOfOneSecond(t *testing.T) {
	dir := t.TempDir()
	folder, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	at := time.Unix(1e9, 0)
	r := Rotation{Folder: folder, Name: "x", PID: 1, Ext: "txt"}
	for n := 1; n < maxSame; n++ {
		if err := os.WriteFile(r.path(at, n), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	last, err := r.Create(at)
	if err != nil || !strings.HasSuffix(last.Name(), "-1000.txt") {
		t.Fatalf("the last is %v, %v", last, err)
	}
	_ = last.Close()
	if more, err := r.Create(at); err == nil {
		t.Errorf("one more is %s", more.Name())
	}
}
