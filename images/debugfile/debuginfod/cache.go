package debuginfod

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"stacksnap/task/directory"
)

// fileName is that of debug files in the cache of elfutils, each in a directory of its
// build-id.
const fileName = "debuginfo"

// entry is what the cache has of a build-id, in a directory that is held open.
type entry struct{ dir *directory.Dir }

// open opens the directory of a build-id. A cache that is not this user's alone is an
// error: another could choose what is read from it, or where it is written to.
func (c *Client) open(build string) (*entry, error) {
	for _, path := range []string{c.cache, filepath.Join(c.cache, build)} {
		dir, err := directory.Make(path)
		if err != nil {
			return nil, err
		}
		if err := dir.RefuseShared(); err != nil {
			return nil, errors.Join(err, dir.Close())
		}
		if path != c.cache {
			dir.Sweep()
			return &entry{dir}, nil
		}
		_ = dir.Close() // it was only read
	}
	return nil, fs.ErrInvalid
}

// refuse notes that the cache is not used, and nothing asked for.
func (c *Client) refuse(err error) {
	c.unused = true
	c.errs = append(c.errs, fmt.Sprintf("debuginfod: nothing is asked for, as there is nowhere to keep it: %v (DEBUGINFOD_CACHE_PATH names another directory)", err))
}

func (e *entry) close()       { _ = e.dir.Close() } // it was only read
func (e *entry) path() string { return e.dir.Join(fileName) }

// state is what there is of a file.
type state int

const (
	absent state = iota // or so old a note that it is asked for again
	missed              // no server had it, as elfutils notes it
	present
)

// look looks for the file. Anything else of its name is an error.
func (e *entry) look() (state, error) {
	f, info, err := e.dir.OpenToRead(fileName)
	if errors.Is(err, fs.ErrNotExist) {
		return absent, nil
	}
	if err != nil {
		return absent, err
	}
	_ = f.Close() // it was only looked at
	switch {
	case info.Size() > 0:
		return present, nil
	case time.Since(info.ModTime()) < missFor:
		return missed, nil
	}
	return absent, nil
}

// miss notes that no server has the file, by an empty one, as elfutils does. What another
// program has put there meanwhile stays.
func (e *entry) miss() error {
	if found, err := e.look(); err != nil || found != absent {
		return err
	}
	t, err := e.dir.Temporary()
	if err != nil {
		return err
	}
	defer t.Drop()
	return t.Replace(fileName)
}

// elfMagic begins every ELF file.
const elfMagic = "\x7fELF"

// elfHeader is the size of the header of an ELF file of 64 bits (elf(5), Elf64_Ehdr).
const elfHeader = 64

// spareSize is how much a file may be larger than expected.
const spareSize = 64 << 20

// expected is how large a file of this header may be: the table of its sections is at its
// end, or next to it, in what linkers and strip write.
func expected(header []byte) int64 {
	if len(header) < elfHeader {
		return spareSize
	}
	var order binary.ByteOrder = binary.LittleEndian
	if header[5] == 2 { // ELFDATA2MSB
		order = binary.BigEndian
	}
	table := order.Uint64(header[40:]) // e_shoff
	if header[4] == 1 {                // ELFCLASS32
		table = uint64(order.Uint32(header[32:]))
	}
	return int64(min(table, maxSize))*2 + spareSize
}
