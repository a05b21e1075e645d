// Package debuginfod asks debuginfod servers for debug files by build-id, and keeps them
// where elfutils does (debuginfod-find(1), debuginfod_find_debuginfo(3)).
package debuginfod

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// What a call may cost.
const (
	maxTime  = 2 * time.Minute  // that all servers together are waited for
	maxStall = 15 * time.Second // that nothing comes
	maxSize  = 2 << 30          // bytes of a file
	maxAll   = 4 << 30          // bytes of all files that are sent
	missFor  = 10 * time.Minute // after which a file that no server had is asked for again
)

// Client asks the servers. It is safe for concurrent use.
type Client struct {
	servers []string
	cache   string
	tell    func(line string)

	time, stall time.Duration // what is left, and may pass without a byte
	size, all   int64         // bytes of a file, and that may still be sent

	mu     sync.Mutex      // one file at a time
	silent map[string]bool // servers that are not asked again
	errs   []string
	unused bool // the cache is not this user's alone
}

// New returns a client of the servers in DEBUGINFOD_URLS, which are asked for nothing
// yet. Tell is given what is being done, to be shown instead of what it was given
// before, and an empty line at the end; it may be nil.
func New(getenv func(string) string, tell func(line string)) (*Client, error) {
	c := &Client{cache: cacheFolder(getenv), tell: tell, time: maxTime, stall: maxStall, size: maxSize, all: maxAll, silent: map[string]bool{}}
	for word := range strings.FieldsSeq(getenv("DEBUGINFOD_URLS")) {
		u, err := url.Parse(word)
		if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
			c.servers = append(c.servers, strings.TrimSuffix(word, "/"))
		}
	}
	if len(c.servers) == 0 {
		return nil, errors.New("--debuginfod asks the servers in DEBUGINFOD_URLS, which names none: set it, such as to https://debuginfod.elfutils.org")
	}
	if c.cache == "" {
		return nil, errors.New("--debuginfod has no folder to keep files in: set DEBUGINFOD_CACHE_PATH")
	}
	return c, nil
}

// cacheFolder is where elfutils keeps what it was sent; empty where nothing says.
func cacheFolder(getenv func(string) string) string {
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

// Find implements [binaries.Finder]: the debug file that has a build-id, if it is kept
// or a server has it.
func (c *Client) Find(id []byte, _ string) (path string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(id) < 2 || c.unused {
		return "", false
	}
	build := hex.EncodeToString(id)
	kept, err := c.open(build)
	if err != nil {
		c.refuse(err)
		return "", false
	}
	defer kept.close()
	switch found, err := kept.look(); {
	case err != nil:
		c.errs = append(c.errs, fmt.Sprintf("debuginfod: %s %v", kept.path(), err))
		return "", false
	case found != absent:
		return kept.path(), found == present
	}
	return kept.path(), c.askAll(id, kept)
}

// askAll asks one server after the other.
func (c *Client) askAll(id []byte, kept *entry) bool {
	missed := true
	for _, server := range c.servers {
		if c.silent[server] || c.time <= 0 {
			missed = false
			continue
		}
		switch err := c.ask(server, id, kept); {
		case err == nil:
			return true
		case !errors.Is(err, errNotThere):
			c.fail(server, err)
			missed = false
		}
	}
	if missed {
		_ = kept.miss() // it is asked for again then
	}
	return false
}

// ask downloads the file from a server, as long as there is time.
func (c *Client) ask(server string, id []byte, kept *entry) error {
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(context.Background(), c.time, errTime)
	defer cancel()
	defer func() { c.time -= time.Since(began) }()
	if c.tell != nil {
		defer c.tell("")
	}
	return causeOf(ctx, c.download(ctx, server+"/buildid/"+hex.EncodeToString(id)+"/debuginfo", id, kept))
}

// fail notes that a server is not asked again.
func (c *Client) fail(server string, err error) {
	c.silent[server] = true
	c.errs = append(c.errs, fmt.Sprintf("debuginfod: %s: %v", redacted(server), err))
}

// redacted is an address without what may be secret in it: a name, a password, a query.
func redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "a server"
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return shown.String()
}

// Remarks says, a line each, what went wrong.
func (c *Client) Remarks() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.errs...)
}
