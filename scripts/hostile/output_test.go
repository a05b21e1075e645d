//go:build hostile && linux

package hostile

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stacksnap/format/output"
	"stacksnap/images/debugfile/debuginfod"
	"stacksnap/task/directory"
	"stacksnap/task/recording"
)

// How often each race is run: by the functions that the program writes with, and by the
// program itself.
const (
	tries        = 1000
	programTries = 25
)

// race is a way to write in the folder of another user, who swaps something of his there
// with a link to what only root may write.
type race struct {
	name, bait string // what is swapped with the link: its name, and what it is
	write      func(dir string) error
	args       string // of the program, with DIR for the folder; empty: its functions only
}

// races are all of them. The name of a file of --dir is told by the time, which only the
// functions are given.
var races = map[string]race{
	"-o, a file":         {"it", aFile, report, "-o DIR/it"},
	"-o, a pipe":         {"it", aPipe, report, "-o DIR/it"},
	"-o, a folder":       {"sub", aFolder, in("sub", report), "-o DIR/sub/it"},
	"--save, a file":     {"it", aFile, save, "--save DIR/it"},
	"--save, a pipe":     {"it", aPipe, save, "--save DIR/it"},
	"--save, a folder":   {"sub", aFolder, in("sub", save), "--save DIR/sub/it"},
	"--dir, a file":      {rowName, aFile, capture, ""},
	"--dir, a pipe":      {rowName, aPipe, capture, ""},
	"--dir, a folder":    {"sub", aFolder, in("sub", capture), "--every 1ms -n 1 --dir DIR/sub"},
	"--spool, a folder":  {"sub", aFolder, in("sub", spool), "--push http://127.0.0.1:1 --spool DIR/sub"},
	"debuginfod's cache": {"sub", aFolder, in("sub", ask), ""},
	"left behind":        {".stacksnap-1-00000000.tmp", aFile, sweep, ""},
}

// TestRacedOutput: what only root may write stays as it is, and nothing hangs.
func TestRacedOutput(t *testing.T) {
	needRoot(t)
	for name, r := range races {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			ground := newGround(t, r.name, r.bait)
			ended := map[string]int{}
			for try := range tries {
				ended[ending(ground.within(t, r.write))]++
				ground.check(t, try)
			}
			if r.args != "" {
				r.program(t, ground)
			}
			t.Logf("%d swaps in %v; %v", ground.swaps(t), time.Since(began).Round(time.Millisecond), ended)
		})
	}
}

// program runs the program instead.
func (r race) program(t *testing.T, g *ground) {
	pid := sleeper(t)
	args := strings.Fields("-p " + pid + " " + strings.ReplaceAll(r.args, "DIR", g.dir))
	for try := range programTries {
		run := snap(t, limit, args...)
		run.check(t)
		g.check(t, try)
		if isRefusal := strings.Contains(run.err, "could be replaced by"); r.bait == aFolder && (run.code == 0 || !isRefusal) {
			t.Fatalf("exit code %d: %s", run.code, run.err)
		}
	}
	if isStopped(t, pid) {
		t.Error("the target is stopped")
	}
}

// ending is how a try ended, without what differs between tries.
func ending(err error) string {
	switch {
	case err == nil:
		return "written"
	case strings.Contains(err.Error(), "could be replaced by"):
		return "refused"
	}
	text := err.Error()
	return text[strings.LastIndex(text, ": ")+1:]
}

func text(w io.Writer) error {
	_, err := io.WriteString(w, "a report\n")
	return err
}

func report(dir string) error { return output.Write(filepath.Join(dir, "it"), text) }

func save(dir string) error {
	s, err := recording.Create(filepath.Join(dir, "it"), recording.Header{})
	if err != nil {
		return err
	}
	return s.Close(recording.End{})
}

// rowName is the name of a report of --dir that was captured at a time that the other user
// knows.
const rowName = "stacksnap-it-1-20010909T014640Z.txt"

var captured = time.Unix(1e9, 0)

// capture writes a report, and removes older ones.
func capture(dir string) error {
	folder, err := output.OpenFolder(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	row := output.Rotation{Folder: folder, Name: "it", PID: 1, Ext: "txt", Keep: 1}
	made, err := row.Create(captured) // as a recording is
	if err != nil {
		return err
	}
	if err := made.Close(); err != nil {
		return err
	}
	path, err := row.Write(captured, text)
	if err != nil {
		return err
	}
	return row.Prune(path)
}

func spool(dir string) error {
	s, err := output.OpenSpool(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	s.MaxBytes, s.MaxAge = 1<<20, time.Hour
	release, _, err := s.Lock()
	if err != nil {
		return err
	}
	defer release()
	_, err = s.Add([]byte("a letter"))
	return err
}

// ask asks a server that is not there.
func ask(dir string) error {
	env := map[string]string{"DEBUGINFOD_URLS": "http://127.0.0.1:1", "DEBUGINFOD_CACHE_PATH": dir}
	c, err := debuginfod.New(func(name string) string { return env[name] }, nil)
	if err != nil {
		return err
	}
	c.Find([]byte("build-id"), "")
	for _, line := range c.Warnings() {
		if strings.Contains(line, "could be replaced by") {
			return &directory.ReplaceableError{Path: dir}
		}
	}
	return nil
}

// sweep removes what a killed run has left behind.
func sweep(dir string) error {
	folder, err := output.OpenFolder(dir)
	if err != nil {
		return err
	}
	return folder.Close()
}

// in does it in a folder of the folder.
func in(sub string, write func(dir string) error) func(dir string) error {
	return func(dir string) error { return write(filepath.Join(dir, sub)) }
}
