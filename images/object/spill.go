package object

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// MaxSpilled is how many bytes of decompressed sections a temporary file holds, for
// all files of a process together.
const MaxSpilled = 4 << 30

var errSpilled = errors.New("limit 4 GB for all files together")

// spill is an unlinked temporary file for decompressed data too large for memory. The
// system removes it with its last user.
type spill struct {
	mu   sync.Mutex
	file *os.File
	size int64
	most int64 // maximum size
	err  error // why it cannot be created
}

// append appends p and returns its offset.
func (s *spill) append(p []byte) (at int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil && s.err == nil {
		s.file, s.err = openSpill()
	}
	switch {
	case s.err != nil:
		return 0, s.err
	case s.size+int64(len(p)) > s.most:
		return 0, errSpilled
	case !hasRoom(s.file, int64(len(p))):
		return 0, fmt.Errorf("no room in %s", spillDir())
	}
	if _, err := s.file.WriteAt(p, s.size); err != nil {
		return 0, err
	}
	at, s.size = s.size, s.size+int64(len(p))
	return at, nil
}

func openSpill() (*os.File, error) {
	f, err := os.CreateTemp(spillDir(), ".stacksnap-*.tmp")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close() // nothing was written
		return nil, err
	}
	return f, nil
}

// spillDir returns the directory for large temporary files. /tmp is often in memory.
func spillDir() string {
	const large = "/var/tmp"
	if info, err := os.Stat(large); os.Getenv("TMPDIR") == "" && err == nil && info.IsDir() {
		return large
	}
	return os.TempDir()
}
