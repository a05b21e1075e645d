package sharedcache

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"stacksnap/task"
	"stacksnap/task/regular"
)

// Cache is a shared cache, at the addresses where it would be mapped without a slide.
// It is safe for concurrent use.
type Cache struct {
	main     header
	files    []*os.File
	mappings []placed // read-only ones
	images   map[[16]byte]Image
	locals   *locals // nil: none
	missing  []error
}

// placed is a mapping of one of the files.
type placed struct {
	mapping
	file io.ReaderAt
}

// Directories returns the directories where versions of macOS have their caches.
func Directories() []string {
	return []string{
		"/System/Volumes/Preboot/Cryptexes/OS/System/Library/dyld", // 13 and later
		"/System/Library/dyld",
	}
}

// Image is a library in a cache.
type Image struct {
	UUID   [16]byte
	VMAddr uint64 // of its Mach-O header
}

// List returns the UUIDs by which a cache is known, given its main file: that of the
// cache, and those of all its images, whose code may be in other files of the cache. For
// any other file the error wraps [ErrNotCache].
func List(r io.ReaderAt) (map[[16]byte]bool, error) {
	h, err := readHeader(r)
	if err != nil || h.images.size == 0 {
		return nil, errors.Join(err, ErrNotCache)
	}
	b, err := read(r, h.images, maxImages*imageSize)
	list := map[[16]byte]bool{h.uuid: true}
	for e := range slices.Chunk(b, imageSize) {
		list[[16]byte(e)] = true
	}
	return list, err
}

// IsPart reports whether a file belongs to a cache but is not its main file.
func IsPart(path string) bool {
	f, _, err := regular.Open(path)
	if err != nil {
		return false
	}
	h, err := readHeader(f)
	_ = f.Close() // read-only
	return err == nil && h.images.size == 0
}

// Open opens the main file of a cache and the files beside it. Missing ones are no
// error; see [Cache.Missing].
func Open(path string) (*Cache, error) {
	c := &Cache{}
	if err := c.open(path); err != nil {
		return nil, errors.Join(about(path, err), c.Close())
	}
	return c, nil
}

func (c *Cache) open(path string) error {
	f, h, err := c.openFile(path)
	if err != nil {
		return err
	}
	c.main = h
	if c.images, err = readImages(f, h.images); err != nil {
		return err
	}
	names, err := subcaches(f, &h)
	if err != nil {
		return err
	}
	for _, sub := range names {
		if _, _, err := c.openPart(sub.path(path), sub.uuid); err != nil {
			c.missing = append(c.missing, err)
		}
	}
	return c.openLocals(path, f)
}

// openFile opens a file of the cache and adds its mappings.
func (c *Cache) openFile(path string) (*os.File, header, error) {
	f, _, err := regular.Open(path)
	if err != nil {
		return nil, header{}, err
	}
	h, err := readHeader(f)
	if err != nil {
		return nil, h, errors.Join(err, f.Close())
	}
	c.files = append(c.files, f)
	for _, m := range h.mappings {
		if !m.writable {
			c.mappings = append(c.mappings, placed{m, f})
		}
	}
	return f, h, nil
}

// openPart opens a file that another refers to by UUID.
func (c *Cache) openPart(path string, uuid [16]byte) (*os.File, header, error) {
	before := len(c.mappings)
	f, h, err := c.openFile(path)
	if err == nil && h.uuid != uuid {
		c.mappings = c.mappings[:before]
		err = errors.New("it is of another shared cache")
	}
	if err != nil {
		return nil, h, about(path, err)
	}
	return f, h, nil
}

// about wraps an error with the path, once.
func about(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// subcache is a file that the main file names or numbers.
type subcache struct {
	uuid   [16]byte
	number int
	suffix string
}

func (s *subcache) path(main string) string {
	if s.suffix == "" {
		return fmt.Sprintf("%s.%d", main, s.number)
	}
	return basePath(main) + s.suffix
}

func subcaches(r io.ReaderAt, h *header) (list []subcache, err error) {
	size := int(h.subcacheSize())
	b, err := read(r, h.subcaches, uint64(maxSubcaches*size))
	for e := range slices.Chunk(b, size) {
		s := subcache{uuid: [16]byte(e), number: len(list) + 1}
		if size == subcacheSize {
			name, _, _ := bytes.Cut(e[size-suffixSize:], []byte{0})
			if s.suffix = string(name); !strings.HasPrefix(s.suffix, ".") || strings.Contains(s.suffix, "/") {
				return nil, fmt.Errorf("a subcache is named %q", s.suffix)
			}
		}
		list = append(list, s)
	}
	return list, err
}

// readImages reads the images, by UUID.
func readImages(r io.ReaderAt, at span) (map[[16]byte]Image, error) {
	b, err := read(r, at, maxImages*imageSize)
	images := make(map[[16]byte]Image, len(b)/imageSize)
	le := binary.LittleEndian
	for e := range slices.Chunk(b, imageSize) {
		im := Image{UUID: [16]byte(e), VMAddr: le.Uint64(e[16:])}
		if _, twice := images[im.UUID]; !twice { // one library with several names
			images[im.UUID] = im
		}
	}
	return images, err
}

// UUID returns the UUID of the main file, which processes report.
func (c *Cache) UUID() [16]byte { return c.main.uuid }

// Start returns the vmaddr of the cache.
func (c *Cache) Start() uint64 { return c.main.start }

// Images returns the images by UUID.
func (c *Cache) Images() map[[16]byte]Image { return c.images }

// Missing returns one error for each file beside the main one that could not be
// opened.
func (c *Cache) Missing() []error { return c.missing }

// ReadMemory implements [task.Memory] for the read-only mappings, at vmaddrs.
func (c *Cache) ReadMemory(p []byte, a task.Addr) (n int, err error) {
	for n < len(p) {
		at := uint64(a) + uint64(n)
		i := slices.IndexFunc(c.mappings, func(m placed) bool { return at-m.vmaddr < m.size })
		if i < 0 {
			return n, &task.FaultError{Addr: task.Addr(at)}
		}
		m := &c.mappings[i]
		part := p[n:][:min(uint64(len(p)-n), m.size-(at-m.vmaddr))]
		got, err := m.file.ReadAt(part, int64(m.offset+(at-m.vmaddr)))
		if n += got; got < len(part) {
			return n, &task.FaultError{Addr: a + task.Addr(n), Err: err}
		}
	}
	return n, nil
}

// Close closes the files. The Cache must not be used afterwards.
func (c *Cache) Close() error {
	var err error
	for _, f := range c.files {
		err = errors.Join(err, f.Close())
	}
	return err
}
