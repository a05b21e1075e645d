//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stacksnap/task/needs"
)

// sourced is a program with debugging information, made for a space.
type sourced struct {
	mapped
	dsym string
}

// compileSourced builds testdata/source.cc, and makes a dSYM, which is not beside it.
func (r *room) compileSourced() sourced {
	r.Helper()
	s := sourced{r.compileMapped("testdata/source.cc", "-std=c++17"), filepath.Join(r.TempDir(), "made.dSYM")}
	if out, err := exec.Command(llvmTool(r, "dsymutil"), "-o", s.dsym, s.program).CombinedOutput(); err != nil {
		r.Fatalf("dsymutil: %v\n%s", err, out)
	}
	r.moveInside(&s.mapped)
	return s
}

// llvmTool finds the newest one there is.
func llvmTool(r *room, name string) string {
	r.Helper()
	return needs.LLVM(r, name, 1)
}

// TestSource: each frame of a live program has the file, line and inlined calls that
// llvm-symbolizer tells, by the dSYM beside it, by one that Spotlight knows, and by the
// object file that it was linked from; a recording of it shows the same on this machine.
// Without any of them a note says what is missing.
func TestSource(t *testing.T) {
	for _, by := range []string{"dSYM", "Spotlight", "debug map", "nothing"} {
		t.Run(by, func(t *testing.T) {
			liveIn(t, likeXNU(), 4*time.Minute, func(r *room) {
				s := r.compileSourced()
				if by == "dSYM" {
					if err := errors.Join(os.CopyFS(s.program+".dSYM", os.DirFS(s.dsym)), os.Remove(s.object)); err != nil {
						r.Fatal(err)
					}
				}
				if by == "Spotlight" {
					r.indexed(s.dsym)
				}
				if by == "nothing" || by == "Spotlight" {
					if err := os.Remove(s.object); err != nil {
						r.Fatal(err)
					}
				}
				r.checkSource(&s, by != "nothing")
			})
		})
	}
}

// indexed has what stands in for Spotlight know a dSYM.
func (r *room) indexed(dsym string) {
	r.Helper()
	mdfind := compile(r.T, "mdfind.c", cFlags...)
	folder := filepath.Join(r.TempDir(), "bin")
	if err := errors.Join(os.Mkdir(folder, 0o755), os.Symlink(r.inside(mdfind), filepath.Join(folder, "mdfind"))); err != nil {
		r.Fatal(err)
	}
	r.path = r.inside(folder)
	r.Setenv("MDFIND_ANSWER", r.inside(dsym))
}

// checkSource compares a snapshot of the program with llvm-symbolizer, and with the
// report of its recording.
func (r *room) checkSource(s *sourced, known bool) {
	r.Helper()
	p := r.target(s.program)
	saved := filepath.Join(r.TempDir(), "it.snap")
	rep, main := r.lookAtSource(p, r.inside(saved))
	want, got := symbolizedFrames(r, s.dsym, rep, main), framesIn(rep, main)
	if !known {
		want, got = nil, []string{}
		for _, n := range main.Nodes {
			if n.File != "" || n.Inlined {
				got = append(got, n.Function)
			}
		}
	}
	if !slices.Equal(got, want) {
		r.Errorf("got  %q\nwant %q", got, want)
	}
	if known && (len(got) < 5 || len(rep.Notes) > 0) {
		r.Errorf("%q, notes %q", got, rep.Notes)
	}
	note := fmt.Sprintf("source: no lines of code from %s: it is missing", r.inside(s.object))
	if !known && !slices.Contains(rep.Notes, note) {
		r.Errorf("notes %q, want %q", rep.Notes, note)
	}
	r.checkRecording(saved, rep, got)
	tree, err := exec.Command(cmp.Or(built.linux, built.stacksnap), saved).Output()
	if line := "Worker::wait() [inlined] (source)"; err != nil || bytes.Contains(tree, []byte(line)) != known {
		r.Errorf("%v: %q in the tree is to be %v:\n%s", err, line, known, tree)
	}
}

// lookAtSource takes snapshots, each with a recording, until the main thread waits in
// the innermost call of the program.
func (r *room) lookAtSource(p *program, saved string) (*report, *thread) {
	r.Helper()
	for {
		rep := r.report("-p", fmt.Sprint(p.pid), "--save", saved)
		for i := range rep.Threads {
			th := &rep.Threads[i]
			if follows(th.stack(), []string{"work(Worker&)"}) && (follows(th.stack(), []string{"usleep"}) || follows(th.stack(), []string{"nanosleep"})) && th.whole() == "" {
				return rep, th
			}
		}
		if time.Now().After(r.until) {
			r.Fatal("the program was never seen to wait:", &rep.Threads[0])
		}
		_ = os.Remove(strings.TrimPrefix(saved, r.files))
	}
}

// checkRecording wants the same of the recording, on this machine.
func (r *room) checkRecording(saved string, rep *report, frames []string) {
	r.Helper()
	out, err := exec.Command(cmp.Or(built.linux, built.stacksnap), saved, "-f", "json").Output()
	if err != nil {
		r.Fatal(err)
	}
	again := r.parse(string(out))
	if !slices.Equal(again.Notes, rep.Notes) {
		r.Errorf("the recording's notes are %q, not %q", again.Notes, rep.Notes)
	}
	for i := range again.Threads {
		if th := &again.Threads[i]; follows(th.stack(), []string{"work(Worker&)"}) && slices.Equal(framesIn(again, th), frames) {
			return
		}
	}
	if len(frames) > 0 {
		r.Errorf("the recording does not have %q", frames)
	}
}

// framesIn are the frames of the program itself of which the source is known, the
// outermost first.
func framesIn(rep *report, th *thread) (list []string) {
	for _, n := range th.Nodes {
		if n.Image != nil && rep.Images[*n.Image].Main && n.File != "" {
			list = append(list, fmt.Sprintf("%s %s:%d inlined %v", n.Function, n.File, n.Line, n.Inlined))
		}
	}
	return list
}

// symbolizedFrames are those that llvm-symbolizer tells of a dSYM.
func symbolizedFrames(r *room, dsym string, rep *report, th *thread) (list []string) {
	r.Helper()
	const base = 0x100000000
	for _, n := range th.Nodes {
		if n.Image == nil || !rep.Images[*n.Image].Main || n.Inlined {
			continue
		}
		at := base + n.ImageOffset
		if n.Return {
			at--
		}
		out, err := exec.Command(llvmTool(r, "llvm-symbolizer"), "--obj="+filepath.Join(dsym, "Contents/Resources/DWARF/source"), "--output-style=JSON", fmt.Sprintf("%#x", at)).Output()
		var answer []struct {
			Symbol []struct {
				FunctionName, FileName string
				Line                   int
			}
		}
		if err = errors.Join(err, json.Unmarshal(out, &answer)); err != nil || len(answer) != 1 {
			r.Fatalf("llvm-symbolizer: %v: %s", err, out)
		}
		all := answer[0].Symbol
		for i, f := range slices.Backward(all) {
			if f.Line > 0 {
				list = append(list, fmt.Sprintf("%s %s:%d inlined %v", f.FunctionName, f.FileName, f.Line, i < len(all)-1))
			}
		}
	}
	return list
}
