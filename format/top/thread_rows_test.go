package top

import (
	"fmt"
	"strings"
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// pool is a script of a main thread, and of eight others: six wait alike, each at a pipe of its own;
// one runs where they wait, and one waits for something else.
func pool() *script {
	s := newScript()
	for i := range 9 {
		id := task.ThreadID(4711 + i)
		s.thread(id, task.Sleeping, 0, "start session read")
		wait := &profile.Wait{Call: "read", Object: fmt.Sprintf("fd %d", i)}
		if i == 8 {
			wait = &profile.Wait{Call: "futex"}
		}
		s.looks = append(s.looks, profile.Look{Thread: id, Wait: wait})
	}
	s.thread(4718, task.Running, 0, "start session read")
	s.sample(1)
	s.thread(4713, task.Sleeping, tick, "start session read")
	s.sample(1)
	return s
}

func rowTexts(v *state, d *data) string {
	var rows []string
	for _, r := range v.threadRows(d) {
		rows = append(rows, fmt.Sprintf("%s %s %.0f %s", r.title(), r.name, 100*r.cpu, r.where))
	}
	return strings.Join(rows, "\n")
}

// TestAlikeThreads are one row, from four on, that has the sum of their CPU time, and the main
// thread is in none.
func TestAlikeThreads(t *testing.T) {
	s := pool()
	d, v := s.data(), newState()
	if got, want := rowTexts(v, d), `6 alike worker 50 waits in read, called by session
4711 worker 0 waits in read: fd 0, called by session
4718 worker 0 in read, called by session
4719 worker 0 waits in futex, called by session`; got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	press(v, d, "Tab Home")
	if v.thread != 4712 || rowOf(v.threadRows(d), 4716) != 0 {
		t.Errorf("thread %d", v.thread)
	}
	press(v, d, "Down m")
	if rows := v.threadRows(d); len(rows) != 9 || v.thread != 4711 || strings.Contains(rowTexts(v, d), "alike") {
		t.Errorf("one by one:\n%s", rowTexts(v, d))
	}
	press(v, d, "m")
	for i := 2; i < 5; i++ {
		s.threads[i].Name = "other"
	}
	s.sample(1)
	if got := rowTexts(v, s.data()); !strings.Contains(got, "6 alike (several)") {
		t.Error(got)
	}
	s.threads = s.threads[5:] // three are left
	s.sample(1)
	if got := rowTexts(v, s.data()); strings.Contains(got, "alike") {
		t.Error(got)
	}
}
