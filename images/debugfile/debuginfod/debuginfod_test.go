package debuginfod

import (
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stacksnap/task/needs"
)

var buildID = []byte{0xab, 0xcd, 0xef, 1, 2, 3}

// debugFile is an ELF file with a build-id and nothing else.
func debugFile(id []byte) []byte {
	le := binary.LittleEndian
	b := make([]byte, 0x200)
	copy(b, "\x7fELF\x02\x01\x01")
	le.PutUint16(b[16:], 3)
	le.PutUint16(b[18:], 62)
	le.PutUint32(b[20:], 1)
	le.PutUint64(b[32:], 64)
	le.PutUint16(b[52:], 64)
	le.PutUint16(b[54:], 56)
	le.PutUint16(b[56:], 1)
	note := le.AppendUint32(nil, 4)
	note = le.AppendUint32(note, uint32(len(id)))
	note = append(append(le.AppendUint32(note, 3), "GNU\x00"...), id...)
	le.PutUint32(b[64:], 4)
	le.PutUint64(b[72:], 0x100)
	le.PutUint64(b[96:], uint64(len(note)))
	le.PutUint64(b[104:], uint64(len(note)))
	le.PutUint64(b[112:], 4)
	copy(b[0x100:], note)
	return b
}

// client asks servers, and keeps what they send in a folder of its own.
func client(t *testing.T, cache string, servers ...string) *Client {
	t.Helper()
	needs.Tool(t, "curl")
	env := map[string]string{"DEBUGINFOD_URLS": strings.Join(servers, " "), "DEBUGINFOD_CACHE_PATH": cache}
	c, err := New(func(name string) string { return env[name] }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// serve counts what is asked, and answers.
func serve(t *testing.T, answer http.HandlerFunc) (address string, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if want := "/buildid/" + hex.EncodeToString(buildID) + "/debuginfo"; r.URL.Path != want || r.Method != http.MethodGet {
			t.Errorf("%s %s was asked", r.Method, r.URL.Path)
		}
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func missing(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }

func sending(b []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(b) }
}

// TestFind asks one server after the other, keeps what comes where elfutils would, and
// asks no more for it.
func TestFind(t *testing.T) {
	none, askedNone := serve(t, missing)
	has, asked := serve(t, sending(debugFile(buildID)))
	cache := t.TempDir()
	for range 2 {
		c := client(t, cache, none, has+"/")
		path, ok := c.Find(buildID, "")
		if want := filepath.Join(cache, "abcdef010203", "debuginfo"); path != want || !ok {
			t.Fatalf("%q, want %q", path, want)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != string(debugFile(buildID)) {
			t.Error("another file is kept:", err)
		}
		if lines := c.Warnings(); len(lines) > 0 {
			t.Errorf("%q", lines)
		}
	}
	if askedNone.Load() != 1 || asked.Load() != 1 {
		t.Errorf("asked %d and %d times", askedNone.Load(), asked.Load())
	}
	if list, err := os.ReadDir(filepath.Join(cache, "abcdef010203")); err != nil || len(list) != 1 {
		t.Errorf("left behind: %v, %v", list, err)
	}
}

// TestNobodyHasIt is noted, as elfutils notes it, and asked again when that is old.
func TestNobodyHasIt(t *testing.T) {
	none, asked := serve(t, missing)
	cache := t.TempDir()
	for range 2 {
		if path, ok := client(t, cache, none).Find(buildID, ""); ok {
			t.Error("it was found at", path)
		}
	}
	path := filepath.Join(cache, "abcdef010203", "debuginfo")
	info, err := os.Stat(path)
	if err != nil || info.Size() != 0 || asked.Load() != 1 {
		t.Fatalf("%v, asked %d times", err, asked.Load())
	}
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(-missFor-time.Minute)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		client(t, cache, none).Find(buildID, "")
	}
	if asked.Load() != 2 {
		t.Errorf("asked %d times", asked.Load())
	}
}

// TestBadServers: what is of no use is told once for each server, which is asked for
// nothing more; nothing of it is kept, nor noted that nobody has it.
func TestBadServers(t *testing.T) {
	hang := func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("\x7fELF"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	for name, bad := range map[string]struct {
		answer http.HandlerFunc
		limit  func(*Client)
		why    string
	}{
		"another build": {sending(debugFile([]byte("other"))), nil, errOther.Error()},
		"a page":        {sending([]byte("<html>")), nil, errOther.Error()},
		"broken":        {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, nil, "it answered 500"},
		"too large":     {sending(debugFile(buildID)), func(c *Client) { c.size = 0x1ff }, errSize.Error()},
		"endless": {func(w http.ResponseWriter, r *http.Request) {
			for chunk := debugFile(buildID); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, func(c *Client) { c.size = 1 << 20 }, errSize.Error()},
		"more than its header says": {func(w http.ResponseWriter, r *http.Request) {
			for chunk := debugFile(buildID); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, nil, errSize.Error()},
		"too much in all": {sending(debugFile(buildID)), func(c *Client) { c.all = 0x1ff }, errSize.Error()},
		"endless zeros": {func(w http.ResponseWriter, r *http.Request) {
			for chunk := make([]byte, 1<<16); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, nil, errOther.Error()},
		"drips": {func(w http.ResponseWriter, r *http.Request) {
			for ticks := time.NewTicker(5 * time.Millisecond); ; <-ticks.C {
				if _, err := w.Write([]byte("\x7fELF")); err != nil || r.Context().Err() != nil {
					return
				}
				w.(http.Flusher).Flush()
			}
		}, func(c *Client) { c.stall = 200 * time.Millisecond }, errStall.Error()},
		"stalls": {hang, func(c *Client) { c.stall = 20 * time.Millisecond }, errStall.Error()},
		"slow":   {hang, func(c *Client) { c.time = 20 * time.Millisecond }, errTime.Error()},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("\x7fELF"))
		}, nil, "96 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			address, asked := serve(t, bad.answer)
			cache := t.TempDir()
			c := client(t, cache, address)
			if bad.limit != nil {
				bad.limit(c)
			}
			for range 2 {
				if path, ok := c.Find(buildID, ""); ok {
					t.Error("found at", path)
				}
			}
			lines := c.Warnings()
			if len(lines) != 1 || !strings.HasPrefix(lines[0], "debuginfod: "+address) || !strings.Contains(lines[0], bad.why) || asked.Load() > 1 {
				t.Errorf("%q, asked %d times", lines, asked.Load())
			}
			if list, err := os.ReadDir(filepath.Join(cache, "abcdef010203")); err == nil && len(list) > 0 {
				t.Errorf("left behind: %v", list)
			}
		})
	}
}

// TestExactSize: a file of exactly as many bytes as there may be is taken.
func TestExactSize(t *testing.T) {
	address, _ := serve(t, sending(debugFile(buildID)))
	c := client(t, t.TempDir(), address)
	c.size = 0x200
	if _, ok := c.Find(buildID, ""); !ok {
		t.Error(c.Warnings())
	}
}

// TestEnvironment tells where files are kept, and who is asked.
func TestEnvironment(t *testing.T) {
	const urls = "ima:enforcing http://a/ ftp://b https://c/x"
	for _, test := range []struct {
		env   map[string]string
		cache string
	}{
		{map[string]string{"DEBUGINFOD_URLS": urls, "HOME": "/h"}, "/h/.cache/debuginfod_client"},
		{map[string]string{"DEBUGINFOD_URLS": urls, "HOME": "/h", "XDG_CACHE_HOME": "/x"}, "/x/debuginfod_client"},
		{map[string]string{"DEBUGINFOD_URLS": urls, "XDG_CACHE_HOME": "/x", "DEBUGINFOD_CACHE_PATH": "/d"}, "/d"},
		{map[string]string{"DEBUGINFOD_URLS": urls}, ""},
		{map[string]string{"DEBUGINFOD_URLS": "ima:enforcing", "HOME": "/h"}, ""},
		{map[string]string{"HOME": "/h"}, ""},
	} {
		c, err := New(func(name string) string { return test.env[name] }, nil)
		if (err == nil) != (test.cache != "") {
			t.Errorf("%v: %v", test.env, err)
		}
		if err == nil && (c.cache != filepath.FromSlash(test.cache) || strings.Join(c.servers, " ") != "http://a https://c/x") {
			t.Errorf("%v: %q, %q", test.env, c.cache, c.servers)
		}
	}
}

// TestProgress tells how far it is, and takes the line away in the end.
func TestProgress(t *testing.T) {
	address, _ := serve(t, sending(debugFile(buildID)))
	c := client(t, t.TempDir(), address)
	var told []string
	c.tell = func(line string) { told = append(told, line) }
	if _, ok := c.Find(buildID, ""); !ok || len(told) < 2 || !strings.HasPrefix(told[0], "debuginfod: 0.0") || told[len(told)-1] != "" {
		t.Errorf("%q", told)
	}
}
