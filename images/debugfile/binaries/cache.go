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

// Cache returns the shared cache with a UUID, its own or that of an image in it, and
// where that image is, 0 in the former case.
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

// cached takes an image out of a cache, which stays open.
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

// openCache opens a cache once; nil when it cannot be.
func (x *Index) openCache(path string) *sharedcache.Cache {
	x.mu.Lock()
	defer x.mu.Unlock()
	c, known := x.caches[path]
	if !known {
		c, _ = sharedcache.Open(path) // nil: it is not what it was
		x.caches[path] = c
	}
	return c
}

// missing says which files of the caches that were opened could not be. It is called
// under the lock.
func (x *Index) missing() (lines []string) {
	for _, path := range slices.Sorted(maps.Keys(x.caches)) {
		if c := x.caches[path]; c != nil {
			for _, err := range c.Missing() {
				lines = append(lines, "a part of a shared cache: "+err.Error())
			}
		}
	}
	return firstRemarks(lines)
}

// firstRemarks keeps the first maxRemarks lines, and counts the rest in one more.
func firstRemarks(lines []string) []string {
	if more := len(lines) - maxRemarks; more > 0 {
		lines = append(lines[:maxRemarks], fmt.Sprintf("nor could %d more parts of shared caches be opened", more))
	}
	return lines
}
