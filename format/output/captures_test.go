package output

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// begun is when the captures of tests began.
var begun = time.Unix(1e9, 0)

// newCaptures keeps two captures in a folder.
func newCaptures(dir string) (c *Captures, instead *strings.Builder) {
	instead = new(strings.Builder)
	row := func(ext string) Rotation { return Rotation{Dir: dir, Name: "server", PID: 1, Ext: ext, Keep: 2} }
	return &Captures{Reports: row("txt"), Recordings: row("snap"), Instead: instead}, instead
}

// record makes a recording as a watch would.
func record(t *testing.T, c *Captures, at time.Time, size int) Recorded {
	t.Helper()
	path, err := c.Recordings.Path(at)
	if err != nil {
		t.Fatal(err)
	}
	return Recorded{Path: path, Err: os.WriteFile(path, make([]byte, size), 0o600)}
}

// names lists a folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, strings.TrimPrefix(e.Name(), "stacksnap-server-1-20010909T"))
	}
	return all
}

func TestCapturesKeepTheNewest(t *testing.T) {
	c, instead := newCaptures(filepath.Join(t.TempDir(), "new"))
	if err := c.Prepare(); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		at := begun.Add(time.Duration(i) * time.Minute)
		done, err := c.Add(at, record(t, c, at, 10), text("report\n"))
		if err != nil || done.Line != "wrote "+done.Report || done.Recording == "" {
			t.Errorf("%+v, %v", done, err)
		}
	}
	want := []string{"014840Z.snap", "014840Z.txt", "014940Z.snap", "014940Z.txt"}
	if left := names(t, c.Reports.Dir); !slices.Equal(left, want) {
		t.Errorf("left %v, want %v", left, want)
	}
	if err := c.Err(); err != nil || instead.Len() > 0 {
		t.Errorf("error %v, printed %q", err, instead)
	}
}

func TestCapturesTellWhatIsMissing(t *testing.T) {
	c, _ := newCaptures(t.TempDir())
	full := errors.New("nowhere\nto save")
	done, err := c.Add(begun, Recorded{Err: full}, text("report\n"))
	if want := "wrote " + done.Report + "; there is no recording of it: nowhere; to save"; err != nil || done.Line != want {
		t.Errorf("%q, %v; want %q", done.Line, err, want)
	}
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "1 of the files") {
		t.Errorf("error %v", err)
	}
}

// TestCapturesWithoutAFolder loses the folder after Prepare.
func TestCapturesWithoutAFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	c, instead := newCaptures(dir)
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Prepare(); err == nil {
		t.Error("a file was taken for a folder")
	}
	done, err := c.Add(begun, Recorded{}, text("report\n"))
	if err != nil || done.Report != "" || !strings.Contains(done.Line, dir) || instead.String() != "report\n" {
		t.Errorf("%+v, %v, printed %q", done, err, instead)
	}
	broken := errors.New("closed")
	c.Instead = writerFunc(func([]byte) (int, error) { return 0, broken })
	if _, err := c.Add(begun, Recorded{}, text("report\n")); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
