package output

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Rotation is a row of files about one process, in a folder, of which the
// newest are kept. They are named by the time:
//
//	stacksnap-NAME-PID-20261121T091500Z.EXT
//
// and a second one of the same second ends -2.EXT. NAME is the process's name
// as [SafeName] has it. A file never takes the place of another, and no link is
// followed: what has the name already, of whatever kind, stays.
type Rotation struct {
	Folder *Folder
	Name   string // of the process; a restarted one continues the row
	PID    int
	Ext    string // without the dot: letters and digits
	Keep   int    // how many files to keep, whatever their pid; 0: all
}

// maxSame bounds how many files of one process and second there can be.
const maxSame = 1000

// Write writes the file of the time at, whole or not at all, for its owner alone.
// It returns the path.
func (r Rotation) Write(at time.Time, write func(io.Writer) error) (string, error) {
	t, err := r.Folder.temporary()
	if err != nil {
		return "", failure(r.Folder.Path(), err)
	}
	defer t.Drop() // after a panic of write too
	if err := fill(t.File, r.path(at, 1), write); err != nil {
		return "", err
	}
	return r.first(at, t.Place)
}

// Create makes the file of the time at, empty and for its owner alone.
func (r Rotation) Create(at time.Time) (*NewFile, error) {
	var made *NewFile
	create := func(name string) error {
		f, err := r.Folder.Create(name)
		made = &NewFile{f, r.Folder, name}
		return err
	}
	_, err := r.first(at, create)
	if err != nil && r.Folder.again(err) {
		_, err = r.first(at, create)
	}
	if err != nil {
		return nil, err
	}
	return made, nil
}

// first takes the first name of the time at that nothing has, and returns its
// path.
func (r Rotation) first(at time.Time, take func(name string) error) (string, error) {
	for n := 1; n <= maxSame; n++ {
		err := take(r.file(at, n))
		if err == nil {
			return r.path(at, n), nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", failure(r.path(at, n), err)
		}
	}
	return "", fmt.Errorf("%s has %d files of one second", r.Folder.Path(), maxSame)
}

func (r Rotation) path(at time.Time, n int) string { return r.Folder.Join(r.file(at, n)) }

const timeLayout = "20060102T150405Z"

func (r Rotation) file(at time.Time, n int) string {
	again := ""
	if n > 1 {
		again = fmt.Sprintf("-%d", n)
	}
	return fmt.Sprintf("stacksnap-%s-%d-%s%s.%s", SafeName(r.Name), r.PID, at.UTC().Format(timeLayout), again, r.Ext)
}

// Prune deletes the oldest files of the row beyond Keep, but never spare.
// Anything not named exactly as the row's files are, and anything that is no
// regular file, is left alone.
func (r Rotation) Prune(spare string) error {
	if r.Keep <= 0 {
		return nil
	}
	row, err := r.row(filepath.Base(spare))
	if err != nil {
		return err
	}
	keep := r.Keep
	if spare != "" {
		keep-- // it is not in the row
	}
	var errs []error
	for len(row) > keep {
		err := r.Folder.Remove(row[0].file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
		row = row[1:]
	}
	return errors.Join(errs...)
}

// kept is a file of the row.
type kept struct {
	file string
	at   time.Time
	n    int // 1, or the number at its end
}

// row lists the files but one, oldest first.
func (r Rotation) row(but string) ([]kept, error) {
	entries, err := r.Folder.ReadDir()
	if err != nil {
		return nil, failure(r.Folder.Path(), err)
	}
	var row []kept
	for _, e := range entries {
		k, ok := r.parse(e.Name())
		if ok && e.Type().IsRegular() && k.file != but {
			row = append(row, k)
		}
	}
	slices.SortFunc(row, func(a, b kept) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.n, b.n), strings.Compare(a.file, b.file))
	})
	return row, nil
}

// tail is what follows the name: -PID-TIME[-N].EXT. It is made when it is asked for, for
// most calls do not.
var tail = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-([1-9][0-9]{0,9})-([0-9]{8}T[0-9]{6}Z)(?:-([1-9][0-9]{0,3}))?\.([A-Za-z0-9]+)$`)
})

// parse takes a file's name apart, and refuses one that the row would not give.
func (r Rotation) parse(file string) (kept, bool) {
	rest, ok := strings.CutPrefix(file, "stacksnap-"+SafeName(r.Name))
	m := tail().FindStringSubmatch(rest)
	if !ok || m == nil {
		return kept{}, false
	}
	at, err := time.Parse(timeLayout, m[2])
	n := 1
	if m[3] != "" {
		n, _ = strconv.Atoi(m[3])
	}
	pid, _ := strconv.Atoi(m[1])
	of := Rotation{Name: r.Name, PID: pid, Ext: r.Ext}
	return kept{file, at, n}, err == nil && of.file(at, n) == file
}

// maxName bounds a process's name in a file's, in bytes.
const maxName = 64

// SafeName returns a process's name as it stands in file names: letters, digits
// and . _ + - stay, anything else becomes _, and it has at most 64 bytes. A
// name without any becomes "process".
func SafeName(name string) string {
	if name == "" {
		return "process"
	}
	safe := []byte(name[:min(len(name), maxName)])
	for i, c := range safe {
		if !isSafe(c) {
			safe[i] = '_'
		}
	}
	return string(safe)
}

func isSafe(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '.' || c == '_' || c == '+' || c == '-'
}
