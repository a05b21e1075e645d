package output

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"stacksnap/task/directory"
)

// Spool is a folder of the caller's choice with letters that wait to be sent, one file
// each, for their owner alone. A letter is there whole or not at all, also when its
// writer is killed or the system crashes; several programs may add to one, and one of
// them at a time takes out. What is older than MaxAge goes, and the oldest beyond
// MaxBytes or MaxLetters.
type Spool struct {
	folder     *Folder
	MaxBytes   int64         // of all letters
	MaxLetters int           // each is a file, and all are listed with each that is added
	MaxAge     time.Duration // of a letter
	Now        func() time.Time
}

// Letter is a file of a spool, as its folder lists it.
type Letter struct {
	Name string
	At   time.Time // when it was added, later than all that were there
	Size int64
}

const (
	maxLetters   = 10_000
	letterSuffix = ".letter"
	letterDigits = 20  // of the nanoseconds in a letter's name
	maxTries     = 100 // of names for a letter
)

// ErrTooLarge says that a letter is larger than all that a spool may hold.
var ErrTooLarge = errors.New("is larger than the spool may be")

// OpenSpool opens a spool, and makes its folder, for its owner alone, where it is
// missing. It refuses one that nothing can be written to, unless its disk is full, and one
// that is not this user's alone: what others put there would be sent.
func OpenSpool(path string) (*Spool, error) {
	folder, err := OpenFolder(path)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(folder.RefuseShared(), folder.prepare()); err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return &Spool{folder: folder, MaxLetters: maxLetters, Now: time.Now}, nil
}

// Close lets go of the folder.
func (s *Spool) Close() error { return s.folder.Close() }

// Path is the folder's.
func (s *Spool) Path() string { return s.folder.Path() }

// Add adds a letter behind all others, and returns how many old ones had to go for it.
func (s *Spool) Add(content []byte) (dropped int, err error) {
	if int64(len(content)) > s.MaxBytes {
		return 0, fmt.Errorf("a letter of %d bytes %w", len(content), ErrTooLarge)
	}
	all, err := s.letters()
	if err != nil && s.folder.again(err) {
		all, err = s.letters()
	}
	if err != nil {
		return 0, err
	}
	at := s.Now()
	if n := len(all); n > 0 && !at.After(all[n-1].At) { // the clock was set back
		at = all[n-1].At.Add(1)
	}
	dropped = s.bound(all, 1, int64(len(content)))
	return dropped, s.write(at, content)
}

// write writes a letter, and gives it its name when it is on the disk.
func (s *Spool) write(at time.Time, content []byte) error {
	t, err := s.folder.temporary()
	if err != nil {
		return failure(s.Path(), err)
	}
	defer t.Drop()
	if _, err := t.Write(content); err != nil {
		return failure(s.Path(), err)
	}
	for range maxTries {
		name := fmt.Sprintf("%0*d-%08x%s", letterDigits, at.UnixNano(), rand.Uint32(), letterSuffix)
		if err = t.Place(name); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return failure(s.Path(), err)
	}
	return nil
}

// Letters lists what waits, the oldest first, without what is too old, and returns how
// many that was.
func (s *Spool) Letters() (all []Letter, dropped int, err error) {
	all, err = s.letters()
	if err != nil {
		return nil, 0, err
	}
	dropped = s.bound(all, 0, 0)
	return all[dropped:], dropped, nil
}

// bound removes the oldest letters until there is room for so many more, and bytes, and
// those that are too old.
func (s *Spool) bound(all []Letter, more int, room int64) (dropped int) {
	total, most := room, s.MaxLetters-more
	for _, l := range all {
		total += l.Size
	}
	oldest := s.Now().Add(-s.MaxAge)
	for _, l := range all {
		if total <= s.MaxBytes && len(all)-dropped <= most && !l.At.Before(oldest) {
			break
		}
		_ = s.folder.Remove(l.Name) // it is tried again with the next
		total -= l.Size
		dropped++
	}
	return dropped
}

// Open opens a letter to be read. One that another program has taken out meanwhile is
// [fs.ErrNotExist].
func (s *Spool) Open(l Letter) (*os.File, error) {
	f, _, err := s.folder.OpenToRead(l.Name)
	if err != nil {
		return nil, failure(s.folder.Join(l.Name), err)
	}
	return f, nil
}

// Remove takes a letter out.
func (s *Spool) Remove(l Letter) error {
	if err := s.folder.Remove(l.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failure(s.folder.Join(l.Name), err)
	}
	return nil
}

// letters lists all letters, the oldest first. What is no regular file, or not named as a
// letter, is none.
func (s *Spool) letters() (all []Letter, err error) {
	entries, err := s.folder.ReadDir()
	if err != nil {
		return nil, failure(s.Path(), err)
	}
	for _, e := range entries {
		at, ok := letterTime(e.Name())
		if !ok || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil { // it may be gone
			all = append(all, Letter{e.Name(), at, info.Size()})
		}
	}
	slices.SortFunc(all, func(a, b Letter) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Name, b.Name)) })
	return all, nil
}

// letterTime takes a letter's name apart.
func letterTime(name string) (time.Time, bool) {
	rest, ok := strings.CutSuffix(name, letterSuffix)
	nanos, tail, cut := strings.Cut(rest, "-")
	n, err := strconv.ParseInt(nanos, 10, 64)
	return time.Unix(0, n), ok && cut && err == nil && len(nanos) == letterDigits && len(tail) == 8
}

// lockName is the file by which one program at a time takes letters out.
const lockName = ".lock"

// Lock has nobody else take letters out until it is released, or this program ends,
// however that comes. It is false where another has it.
func (s *Spool) Lock() (release func(), ok bool, err error) {
	f, err := s.folder.OpenLock(lockName)
	if err != nil {
		return nil, false, failure(s.folder.Join(lockName), err)
	}
	if err := directory.Lock(f); err != nil {
		_ = f.Close()
		if errors.Is(err, directory.ErrLocked) {
			return nil, false, nil
		}
		return nil, false, failure(s.folder.Join(lockName), err)
	}
	return func() { _ = f.Close() }, true, nil
}
