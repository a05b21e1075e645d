package binaries

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"stacksnap/images/macho"
	"stacksnap/images/sharedcache"
	"stacksnap/task"
)

// Cache returns the shared cache whose UUID is id, or that has an image with that
// UUID, and the image's vmaddr, which is 0 for the cache itself.
func (x *Index) Cache(id []byte) (c *sharedcache.Cache, vmaddr uint64, ok bool) {
	for _, f := range x.of(id) {
		if !f.cache {
			continue
		}
		if c := x.openCache(f.path); c != nil {
			return c, c.Images()[[16]byte(id)].VMAddr, true
		}
	}
	return nil, 0, false
}

// cached extracts an image from a cache, which stays open.
func (x *Index) cached(from found, want macho.Want) (*macho.File, bool) {
	if !from.cache {
		return nil, false
	}
	c := x.openCache(from.path)
	if c == nil {
		return nil, false
	}
	im, ok := c.Images()[[16]byte(want.ID)]
	if !ok {
		return nil, false
	}
	f, err := macho.FromMemory(c, task.Addr(im.VMAddr), nil)
	if err != nil || f.Arch() != want.Arch || !bytes.Equal(f.ID(), want.ID) {
		return nil, false
	}
	if nlists, names, ok := c.Locals(im.VMAddr); ok {
		f.SetLocals(nlists, names)
	}
	return f, true
}

// openCache opens a cache once. It returns nil if that fails.
func (x *Index) openCache(path string) *sharedcache.Cache {
	x.mu.Lock()
	defer x.mu.Unlock()
	c, known := x.caches[path]
	if !known {
		c, _ = sharedcache.Open(path) // nil: it has changed
		x.caches[path] = c
	}
	return c
}

// missing returns lines about the files of opened caches that could not be opened.
// The caller holds the lock.
func (x *Index) missing() (lines []string) {
	for _, path := range slices.Sorted(maps.Keys(x.caches)) {
		if c := x.caches[path]; c != nil {
			for _, err := range c.Missing() {
				lines = append(lines, "a part of a shared cache: "+err.Error())
			}
		}
	}
	return firstWarnings(lines, "nor could %d more parts of shared caches be opened")
}

// firstWarnings keeps the first maxWarnings lines and replaces the rest by one line.
// others is its format, with the number of lines that were replaced.
func firstWarnings(lines []string, others string) []string {
	if more := len(lines) - maxWarnings; more > 0 {
		lines = append(lines[:maxWarnings], fmt.Sprintf(others, more))
	}
	return lines
}
