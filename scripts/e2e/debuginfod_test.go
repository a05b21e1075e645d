//go:build linux

package e2e

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestDebuginfod names the functions of a stripped program by what a server has, live
// and in a recording: asked when the target runs on, untraced, once, and only by
// --debuginfod.
func TestDebuginfod(t *testing.T) {
	need(t, "readelf")
	program, folder := split(t, true)
	debug := filepath.Join(folder, "a", "b", "anything.debug")
	target := start(t, program, "3", "read")
	blocksInRead(t, pid(target))
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, err := os.ReadFile("/proc/" + pid(target) + "/status")
		if err != nil || !strings.Contains(string(status), "\nTracerPid:\t0\n") || strings.Contains(string(status), "State:\tt") {
			t.Errorf("asked while the target is held: %v\n%s", err, status)
		}
		if r.URL.Path != "/buildid/"+buildID(t, debug)+"/debuginfo" {
			http.NotFound(w, r) // of libraries
			return
		}
		asked.Add(1)
		http.ServeFile(w, r, debug)
	}))
	t.Cleanup(server.Close)
	t.Setenv("DEBUGINFOD_URLS", server.URL)
	t.Setenv("DEBUGINFOD_CACHE_PATH", t.TempDir())
	file := filepath.Join(t.TempDir(), "it.snap")
	wantLeaf(t, false, "-p", pid(target), "--save", file)
	if asked.Load() != 0 {
		t.Error("asked without --debuginfod")
	}
	wantLeaf(t, true, "-p", pid(target), "--debuginfod")
	wantLeaf(t, true, "-p", pid(target), "-n", "3", "--addresses", "--debuginfod")
	wantLeaf(t, true, file, "--debuginfod")
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
	t.Setenv("DEBUGINFOD_URLS", "")
	refused(t, snap(t, "-p", pid(target), "--debuginfod"), 1, "DEBUGINFOD_URLS")
}

// wantLeaf wants the program's functions and their places in the source, or not.
func wantLeaf(t *testing.T, want bool, args ...string) {
	t.Helper()
	r := snap(t, args...)
	named, placed := strings.Contains(r.out, "leaf_read + "), strings.Contains(r.out, "  deep.c:")
	if r.code != 0 || r.err != "" || named != want || placed != want {
		t.Errorf("%v: exit code %d, named: %v, with source: %v\n%s%s", args, r.code, named, placed, r.out, r.err)
	}
}

// TestDebuginfodServer asks the server of elfutils.
func TestDebuginfodServer(t *testing.T) {
	need(t, "readelf", "debuginfod")
	program, folder := split(t, true)
	target := start(t, program, "3", "read")
	blocksInRead(t, pid(target))
	address := serveDebug(t, folder, buildID(t, filepath.Join(folder, "a", "b", "anything.debug")))
	t.Setenv("DEBUGINFOD_URLS", address)
	t.Setenv("DEBUGINFOD_CACHE_PATH", t.TempDir())
	wantLeaf(t, true, "-p", pid(target), "--debuginfod")
}

// serveDebug starts debuginfod, and returns when it has found the file of a build-id.
func serveDebug(t *testing.T, folder, id string) (address string) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := fmt.Sprint(free.Addr().(*net.TCPAddr).Port)
	_ = free.Close() // for the server to take
	server := exec.Command("debuginfod", "-F", "-p", port, "-d", ":memory:", folder)
	server.Env = append(os.Environ(), "DEBUGINFOD_URLS=")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	address = "http://127.0.0.1:" + port
	eventually(t, "debuginfod has found the file", func() bool {
		r, err := http.Get(address + "/buildid/" + id + "/debuginfo")
		if err != nil {
			return false
		}
		_ = r.Body.Close() // only whether it has it is asked
		return r.StatusCode == http.StatusOK
	})
	return address
}
