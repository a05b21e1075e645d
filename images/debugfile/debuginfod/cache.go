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

// fileName is the name of debug files in elfutils' cache, each in a directory named
// by its build-id.
const fileName = "debuginfo"

// cacheDirectory returns the directory where elfutils caches files; "" if there is none.
func cacheDirectory(getenv func(string) string) string {
	if dir := getenv("DEBUGINFOD_CACHE_PATH"); dir != "" {
		return dir
	}
	const name = "debuginfod_client"
	if dir := getenv("XDG_CACHE_HOME"); dir != "" {
		return filepath.Join(dir, name)
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".cache", name)
	}
	return ""
}

// entry is the cache directory for a build-id, held open.
type entry struct{ dir *directory.Dir }

// open opens the directory for a build-id. It fails if another user can write to the
// cache, because that user could choose what is read from it, or where it is written
// to.
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
		_ = dir.Close() // read-only
	}
	return nil, fs.ErrInvalid
}

// refuse records that the cache is unusable. After that nothing is requested.
func (c *Client) refuse(err error) {
	c.unused = true
	c.errs = append(c.errs, fmt.Sprintf("debuginfod: nothing is asked for, as there is nowhere to keep it: %v (DEBUGINFOD_CACHE_PATH names another directory)", err))
}

func (e *entry) close()       { _ = e.dir.Close() } // read-only
func (e *entry) path() string { return e.dir.Join(fileName) }

// state says what the cache has for a build-id.
type state int

const (
	absent state = iota // nothing, or an expired miss
	missed              // a recorded miss: no server had the file
	present
)

// look returns what the cache has for the build-id. It fails if something other than
// a regular file has the name.
func (e *entry) look() (state, error) {
	f, info, err := e.dir.OpenToRead(fileName)
	if errors.Is(err, fs.ErrNotExist) {
		return absent, nil
	}
	if err != nil {
		return absent, err
	}
	_ = f.Close() // opened only to check
	switch {
	case info.Size() > 0:
		return present, nil
	case time.Since(info.ModTime()) < missFor:
		return missed, nil
	}
	return absent, nil
}

// miss records that no server has the file by creating an empty one, as elfutils
// does. A file that another program has put there meanwhile is kept.
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

// elfMagic is the start of every ELF file.
const elfMagic = "\x7fELF"

// elfHeader is the size of a 64-bit ELF header in bytes (elf(5), Elf64_Ehdr).
const elfHeader = 64

// spareSize is how many bytes a file may exceed its expected size by.
const spareSize = 64 << 20

// expected returns the maximum size in bytes of a file with this header. Linkers and
// strip put the section table at or near the file's end.
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
