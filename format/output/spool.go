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

// Spool is a directory of letters, files that wait to be sent. Only their owner has access.
// A letter is complete or does not exist, even if its writer is killed or the system
// crashes. Several programs may add letters; one at a time may remove them. Letters older
// than MaxAge are dropped, and the oldest beyond MaxBytes or MaxLetters.
type Spool struct {
	folder     *Folder
	MaxBytes   int64         // most bytes of all letters together
	MaxLetters int           // most letters; each Add lists the whole directory
	MaxAge     time.Duration // age at which a letter is dropped
	Now        func() time.Time
}

// Letter is a queued upload, which is one file of a spool.
type Letter struct {
	Name string
	At   time.Time // time when the letter was added; later than that of all letters before it
	Size int64
}

const (
	maxLetters   = 10_000
	letterSuffix = ".letter"
	letterDigits = 20  // digits of the time, in nanoseconds, in a letter's name
	maxTries     = 100 // attempts to find a free name
)

// ErrTooLarge is returned for a letter larger than MaxBytes.
var ErrTooLarge = errors.New("is larger than the spool may be")

// OpenSpool opens a spool, and makes its directory, with access only for its owner, if it
// is missing. It returns an error if the directory is not writable (a full disk is no
// error), and if other users could put files there, since these would be sent.
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

// Close closes the directory.
func (s *Spool) Close() error { return s.folder.Close() }

// Path returns the path of the directory.
func (s *Spool) Path() string { return s.folder.Path() }

// Add adds a letter after all others, and returns the number of old ones dropped for it.
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

// write writes a letter, and gives it its name when it is on disk.
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

// Letters returns the letters, oldest first, and the number of those dropped because of
// their age.
func (s *Spool) Letters() (all []Letter, dropped int, err error) {
	all, err = s.letters()
	if err != nil {
		return nil, 0, err
	}
	dropped = s.bound(all, 0, 0)
	return all[dropped:], dropped, nil
}

// bound removes letters that are too old, and the oldest ones until there is room for that
// many more letters and bytes.
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
		_ = s.folder.Remove(l.Name) // the next call tries again
		total -= l.Size
		dropped++
	}
	return dropped
}

// Open opens a letter for reading. The error is [fs.ErrNotExist] if another program has
// removed it.
func (s *Spool) Open(l Letter) (*os.File, error) {
	f, _, err := s.folder.OpenToRead(l.Name)
	if err != nil {
		return nil, failure(s.folder.Join(l.Name), err)
	}
	return f, nil
}

// Remove removes a letter.
func (s *Spool) Remove(l Letter) error {
	if err := s.folder.Remove(l.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failure(s.folder.Join(l.Name), err)
	}
	return nil
}

// letters lists all letters, oldest first. It ignores special files and other names.
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

// letterTime returns the time in a letter's name; false if the name is no letter's.
func letterTime(name string) (time.Time, bool) {
	rest, ok := strings.CutSuffix(name, letterSuffix)
	nanos, tail, cut := strings.Cut(rest, "-")
	n, err := strconv.ParseInt(nanos, 10, 64)
	return time.Unix(0, n), ok && cut && err == nil && len(nanos) == letterDigits && len(tail) == 8
}

// lockName is the lock file of the program that removes letters.
const lockName = ".lock"

// Lock gives this program the sole right to remove letters, until it calls release or ends
// in any way. It returns false if another program has that right.
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
