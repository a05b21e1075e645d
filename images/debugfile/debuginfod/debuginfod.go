// Package debuginfod gets debug files from debuginfod servers by build-id, and caches
// them where elfutils does (debuginfod-find(1), debuginfod_find_debuginfo(3)).
package debuginfod

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Client queries the servers. It is safe for concurrent use.
type Client struct {
	servers []string
	cache   string
	tell    func(line string)

	time, stall time.Duration // time left, and maximum time without receiving anything
	size, all   int64         // maximum bytes of a file, and bytes that may still be received

	mu     sync.Mutex      // one file at a time
	silent map[string]bool // servers that failed, and are not queried again
	errs   []string
	unused bool // another user can write to the cache
}

// New returns a client for the servers in DEBUGINFOD_URLS. It sends no request yet.
// tell is called with a line of progress, which replaces the line before, and with ""
// at the end; it may be nil.
func New(getenv func(string) string, tell func(line string)) (*Client, error) {
	c := &Client{cache: cacheDirectory(getenv), tell: tell, time: maxTime, stall: maxStall, size: maxSize, all: maxAll, silent: map[string]bool{}}
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

// Find implements [binaries.Finder]. It returns the debug file for a build-id from
// the cache or a server.
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

// askAll queries the servers in turn until one has the file. If all of them lack it,
// it records a miss.
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
		_ = kept.miss() // if this fails, it is requested again
	}
	return false
}

// ask downloads the file from a server within the time that is left.
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

// fail records an error. The server is not queried again.
func (c *Client) fail(server string, err error) {
	c.silent[server] = true
	c.errs = append(c.errs, fmt.Sprintf("debuginfod: %s: %v", redacted(server), err))
}

// redacted returns an address without user name, password and query, which may be
// secret.
func redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "a server"
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return shown.String()
}

// Warnings returns a line for each thing that went wrong.
func (c *Client) Warnings() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.errs...)
}
