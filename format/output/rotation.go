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

// Rotation is a series of files about one process in a directory; it keeps the
// newest. The files are named by the time:
//
//	stacksnap-NAME-PID-20261121T091500Z.EXT
//
// A second file within a second ends in -2.EXT. NAME is [SafeName] of the process's name.
// An existing file of that name, even a symbolic link, is neither replaced nor followed.
type Rotation struct {
	Folder *Folder
	Name   string // name of the process; a restarted one continues the series
	PID    int
	Ext    string // extension of the files, without the dot: letters and digits
	Keep   int    // number of files to keep, of any pid; 0: all
}

// maxSame is the largest number of files for one process and second.
const maxSame = 1000

// Write writes the file for that time, completely or not at all, and returns its path. Only
// its owner has access.
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

// Create makes an empty file for that time. Only its owner has access.
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

// first calls take with names for that time until one is free, and returns its path.
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

// Prune deletes the oldest files of the series beyond Keep, but never spare. It ignores
// special files, and files whose name does not match exactly.
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
		keep-- // row does not contain it
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

// kept is a file of the series.
type kept struct {
	file string
	at   time.Time
	n    int // 1, or the number at its end
}

// row returns the files of the series except one, oldest first.
func (r Rotation) row(but string) ([]*kept, error) {
	entries, err := r.Folder.ReadDir()
	if err != nil {
		return nil, failure(r.Folder.Path(), err)
	}
	var row []*kept
	for _, e := range entries {
		k, ok := r.parse(e.Name())
		if ok && e.Type().IsRegular() && k.file != but {
			row = append(row, &k)
		}
	}
	slices.SortFunc(row, func(a, b *kept) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.n, b.n), strings.Compare(a.file, b.file))
	})
	return row, nil
}

// tail matches the rest of a file's name: -PID-TIME[-N].EXT. It is compiled on first use,
// since most calls need none.
var tail = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-([1-9][0-9]{0,9})-([0-9]{8}T[0-9]{6}Z)(?:-([1-9][0-9]{0,3}))?\.([A-Za-z0-9]+)$`)
})

// parse parses a file's name, and returns false unless the series would name a file so.
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

// maxName is the maximum number of bytes of a process's name in a file's name.
const maxName = 64

// SafeName returns a process's name for use in file names: it replaces all but ASCII
// letters, digits and . _ + - by _, and cuts the name to 64 bytes. An empty name becomes
// "process".
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
