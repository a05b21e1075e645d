package cpython

import (
	"time"

	"stacksnap/task"
)

const (
	keyTime = time.Second
	maxKeys = 1 << 13
	maxKey  = 64 // characters of one
)

// keyCache has what strs are that are keys of dicts, by address, so that a search for a key reads only
// those that may be it. What a key that is found says is always read: by a cache that is
// out of date, because the memory of a key has another one by then, a new key can only be missed. It is
// emptied after keyTime.
type keyCache struct {
	known map[task.Addr]string
	since time.Time
}

// isOther reports whether a str is known to differ from s.
func (c *keyCache) isOther(a task.Addr, s string) bool {
	known, ok := c.known[a]
	return ok && known != s && time.Since(c.since) < keyTime
}

func (c *keyCache) add(a task.Addr, s string) {
	if c.known == nil || len(c.known) == maxKeys || time.Since(c.since) >= keyTime {
		c.known, c.since = map[task.Addr]string{}, time.Now()
	}
	c.known[a] = s
}
