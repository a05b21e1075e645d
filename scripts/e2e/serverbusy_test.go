//go:build linux && amd64 && servers

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The programs below spend their time in leaf, called by down, which has called
// itself depth times: so deep is each stack that ends there.
const depth = 20

const javaBusy = `public class Busy {
  static volatile long sink;
  static long leaf(long n) { long s = 0; for (int i = 0; i < 1000; i++) s = s * 31 + (i ^ n); return s; }
  static long down(int depth, long n) {
    if (depth > 0) return down(depth - 1, n) + depth;
    long s = 0;
    for (int i = 0; i < 1000; i++) s += leaf(n + i);
    return s;
  }
  public static void main(String[] a) { for (;;) sink += down(20, sink); }
}`

const nodeBusy = `
function leaf(n) { let s = 0; for (let i = 0; i < 1000; i++) s = (s * 31 + (i ^ n)) | 0; return s; }
function down(depth, n) {
  if (depth > 0) return (down(depth - 1, n) + depth) | 0;
  let s = 0;
  for (let i = 0; i < 1000; i++) s = (s + leaf(n + i)) | 0;
  return s;
}
for (let sink = 0;;) sink = down(20, sink);`

// TestBusyJava names its code after jcmd has had it written.
func TestBusyJava(t *testing.T) {
	need(t, "jcmd")
	dir := compileJava(t, "Busy", javaBusy)
	s := &server{root: serve(t, exec.Command("java", "-XX:-Inline", "-cp", dir, "Busy"))}
	s.checkBusy(t, func() { _ = exec.Command("jcmd", strconv.Itoa(s.root), "Compiler.perfmap").Run() })
}

// TestBusyNode names its code while it compiles it.
func TestBusyNode(t *testing.T) {
	program := find(t, "node", "/usr/bin/nodejs")
	file := filepath.Join(publicDir(t), "busy.js")
	write(t, file, nodeBusy)
	s := &server{root: serve(t, exec.Command(program, "--perf-basic-prof", "--no-turbo-inlining", "--no-logfile-per-isolate",
		"--logfile="+filepath.Join(filepath.Dir(file), "log"), file))}
	s.checkBusy(t, func() {})
}

// checkBusy takes one-shots of a program that a JIT compiler has compiled by then,
// and wants every stack whole, or marked where something may be missing.
func (s *server) checkBusy(t *testing.T, name func()) {
	t.Helper()
	t.Cleanup(func() { _ = os.Remove("/tmp/perf-" + strconv.Itoa(s.root) + ".map") })
	eventually(t, "compiled code is named, and the stack is as deep as it is", func() bool {
		name()
		shot := takeShot(t, s.root)
		downs, _, inLeaf := chainOfDowns(&shot)
		return inLeaf && downs == depth+1
	})
	whole := 0
	for range oneShots {
		shot := takeShot(t, s.root)
		starts := startsOf(t, s.root, &shot)
		for i := range shot.Threads {
			checkEnd(t, &shot.Threads[i], starts)
		}
		downs, marked, inLeaf := chainOfDowns(&shot)
		if downs > depth+1 || inLeaf && !marked && downs != depth+1 {
			t.Errorf("%d times down, want %d; marked: %v", downs, depth+1, marked)
		}
		if inLeaf && downs == depth+1 {
			whole++
		}
	}
	t.Logf("whole in %d of %d one-shots", whole, oneShots)
}

// chainOfDowns counts the frames of down in the thread that calls it, and tells
// whether one of its frames is marked as one beside which a caller may be missing,
// and whether it is in leaf.
func chainOfDowns(shot *shot) (downs int, marked, inLeaf bool) {
	for i := range shot.Threads {
		th := &shot.Threads[i]
		n := 0
		for _, f := range th.Nodes {
			if strings.Contains(f.Function, "down") {
				n++
			}
		}
		if n == 0 {
			continue
		}
		for _, f := range th.Nodes {
			marked = marked || f.Guess || f.By == "frame pointer" || f.Cut != nil
		}
		downs, inLeaf = n, strings.Contains(innermost(th).Function, "leaf")
	}
	return downs, marked, inLeaf
}
