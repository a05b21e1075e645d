//go:build linux

package e2e

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

// followed is what is read of a group of processes of which one was followed.
type followed struct {
	Processes []struct {
		Target  struct{ PID int }
		Threads []struct {
			Wait struct {
				Peer struct{ PID int }
			}
			Nodes []struct{ Function string }
		}
	}
}

// TestClientAndServer looks at a client alone, which waits for a server: that is told with
// the server's pid, which another tool tells as well, and has its stack.
func TestClientAndServer(t *testing.T) {
	program := compile(t, "served", "-O1", "-g", "-w")
	for way, server := range map[string]func(t *testing.T, client string) string{
		"unix": byUnixSockets, "pipe": byPipes, "flock": byLocks, "mutex": byMutex,
	} {
		t.Run(way, func(t *testing.T) {
			root := pid(start(t, program, way, filepath.Join(t.TempDir(), "lock")))
			client := clientOf(t, root)
			sleeps(t, client)
			if told := server(t, client); told != root {
				t.Fatalf("the other tool names %q, the server is %s", told, root)
			}
			comesToAgree(t, func(c checker) { checkServer(t, c, client, root) })
			untraced(t, client)
			untraced(t, root)
		})
	}
}

// clientOf is the child of a server.
func clientOf(t *testing.T, server string) (client string) {
	t.Helper()
	eventually(t, "the client of "+server, func() bool {
		b, err := os.ReadFile("/proc/" + server + "/task/" + server + "/children")
		if err != nil {
			needs.Feature(t, "/proc/PID/task/TID/children", err, fs.ErrNotExist)
		}
		client = strings.TrimSpace(string(b))
		return client != ""
	})
	return client
}

func checkServer(t *testing.T, c checker, client, server string) {
	r := snap(t, "-p", client, "--follow-waits", "-f", "json")
	if r.code != exitOK {
		t.Fatalf("exit code %d: %s", r.code, r.err)
	}
	var g followed
	if err := json.Unmarshal([]byte(r.out), &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Processes) != 2 {
		c.Errorf("%d processes", len(g.Processes))
		return
	}
	one, other := g.Processes[0], g.Processes[1]
	if strconv.Itoa(one.Target.PID) != client || strconv.Itoa(one.Threads[0].Wait.Peer.PID) != server || strconv.Itoa(other.Target.PID) != server {
		c.Errorf("%d waits for %d, and %d was followed", one.Target.PID, one.Threads[0].Wait.Peer.PID, other.Target.PID)
	}
	for _, n := range other.Threads[0].Nodes {
		if n.Function == "serving" {
			return
		}
	}
	c.Errorf("the server's stack is %v", other.Threads[0].Nodes)
}

// firstMatch is what the group of an expression matches in a text; empty where it does
// not match.
func firstMatch(expression, text string) string {
	if m := regexp.MustCompile(expression).FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// byUnixSockets asks ss, of which a line ends in the two sockets of a connection and who
// has the first.
func byUnixSockets(t *testing.T, client string) string {
	need(t, "ss")
	all := peer(t, "ss", "-xpH")
	other := firstMatch(`(\d+) +users:\(\("client",pid=`+client+`,`, all)
	return firstMatch(` `+other+` +\S+ +\d+ +users:\(\("served",pid=(\d+),`, all)
}

// byPipes asks lsof, which names the other ends of what a process has open.
func byPipes(t *testing.T, client string) string {
	need(t, "lsof")
	return firstMatch(`(?m)^client +`+client+` .* 3r .* pipe (\d+),served,\d+w$`, peer(t, "lsof", "+E", "-a", "-p", client))
}

func byLocks(t *testing.T, client string) string {
	need(t, "lslocks")
	return firstMatch(`(?m)^ *`+client+` +(\d+)$`, peer(t, "lslocks", "-n", "-o", "PID,BLOCKER"))
}

func byMutex(t *testing.T, client string) string {
	need(t, "gdb")
	return firstMatch(`\$1 = (\d+)`, peer(t, "gdb", "-nx", "-p", client, "-batch", "-ex", "print shared->__data.__owner"))
}
