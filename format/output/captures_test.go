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

// openFolder opens a folder until the test ends.
func openFolder(t *testing.T, dir string) *Folder {
	t.Helper()
	f, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// newCaptures keeps two captures in a folder.
func newCaptures(t *testing.T, dir string) (c *Captures, instead *strings.Builder) {
	t.Helper()
	instead = new(strings.Builder)
	folder := openFolder(t, dir)
	row := func(ext string) Rotation { return Rotation{Folder: folder, Name: "server", PID: 1, Ext: ext, Keep: 2} }
	return &Captures{Reports: row("txt"), Recordings: row("snap"), Instead: instead}, instead
}

// record makes a recording as a watch would.
func record(t *testing.T, c *Captures, at time.Time, size int) Recorded {
	t.Helper()
	f, err := c.Recordings.Create(at)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(make([]byte, size))
	return Recorded{Path: f.Name(), Err: errors.Join(err, f.Close())}
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
	c, instead := newCaptures(t, filepath.Join(t.TempDir(), "new"))
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
	if left := names(t, c.Reports.Folder.Path()); !slices.Equal(left, want) {
		t.Errorf("left %v, want %v", left, want)
	}
	if err := c.Err(); err != nil || instead.Len() > 0 {
		t.Errorf("error %v, printed %q", err, instead)
	}
}

func TestCapturesTellWhatIsMissing(t *testing.T) {
	c, _ := newCaptures(t, t.TempDir())
	full := errors.New("nowhere\nto save")
	done, err := c.Add(begun, Recorded{Err: full}, text("report\n"))
	if want := "wrote " + done.Report + "; there is no recording of it: nowhere; to save"; err != nil || done.Line != want {
		t.Errorf("%q, %v; want %q", done.Line, err, want)
	}
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "1 of the files") {
		t.Errorf("error %v", err)
	}
}

// TestCapturesWithoutAFolder loses the folder after Prepare, to a file of its
// name.
func TestCapturesWithoutAFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	c, instead := newCaptures(t, dir)
	if err := c.Prepare(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(dir); err == nil {
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

// TestADeletedFolderIsMadeAgain deletes it between two captures.
func TestADeletedFolderIsMadeAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	c, _ := newCaptures(t, dir)
	for range 2 {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		rec := record(t, c, begun, 10)
		if done, err := c.Add(begun, rec, text("report")); err != nil || done.Report == "" || rec.Err != nil {
			t.Errorf("%+v, %v, %v", done, err, rec)
		}
		if left := names(t, dir); len(left) != 2 {
			t.Errorf("left %v", left)
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
