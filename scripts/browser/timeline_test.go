//go:build browser

package browser

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// timed is a sampling of a second, of whose threads the first waits in its run loop, works
// from 200 ms to 700 ms in a function and the one that it calls, and waits again; the other
// sleeps.
func timed() *profile.Profile {
	b := profile.NewBuilder(task.Info{PID: 1, Name: "demo", OS: task.Linux, Arch: task.AMD64, Live: true}, "stacksnap test")
	b.KeepTimelines()
	b.SetInterval(10*time.Millisecond, 0)
	start := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	stack := func(pcs ...task.Addr) (s profile.Stack) {
		for _, pc := range pcs { // the innermost first
			s.Frames = append(s.Frames, unwind.Frame{PC: pc, By: unwind.ByCFI})
		}
		return s
	}
	for i := range 100 {
		main, does := task.Thread{ID: 1, Name: "demo" + hostile, State: task.Sleeping}, stack(0x3000, 0x1000)
		if i >= 20 && i < 70 {
			main.State, does = task.Running, stack(0x5000, 0x4000, 0x1000)
		}
		s := &task.Snapshot{Time: start.Add(time.Duration(i) * 10 * time.Millisecond), Threads: []task.Thread{main, {ID: 2, Name: "idle", State: task.Sleeping}}}
		b.Add(s, []profile.Stack{does, stack(0x8000, 0x7000)}, nil)
		if i == 5 || i == 95 {
			b.Look([]profile.Look{{Thread: 1, Wait: &profile.Wait{Call: "epoll_wait", Object: "fd 5" + hostile}}}, true)
		}
	}
	return b.Profile()
}

// many is a sampling of so many threads, of which the last works and the others sleep.
func many(threads int) *profile.Profile {
	b := profile.NewBuilder(task.Info{PID: 1, Name: "demo", OS: task.Linux, Arch: task.AMD64, Live: true}, "stacksnap test")
	b.KeepTimelines()
	b.SetInterval(10*time.Millisecond, 0)
	s := &task.Snapshot{Time: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	var stacks []profile.Stack
	for i := range threads {
		s.Threads = append(s.Threads, task.Thread{ID: task.ThreadID(i + 1), Name: "worker", State: task.Sleeping})
		stacks = append(stacks, profile.Stack{Frames: []unwind.Frame{{PC: 0x1000, By: unwind.ByCFI}}})
	}
	s.Threads[threads-1].State = task.Running
	for range 10 {
		b.Add(s, stacks, nil)
		s.Time = s.Time.Add(10 * time.Millisecond)
	}
	return b.Profile()
}

// drag draws from one share of the timeline's time to another, in a row.
func (p *page) drag(from, to float64, row int) {
	p.Helper()
	p.script(fmt.Sprintf(`(() => {
		const canvas = document.getElementById('times-canvas'), box = canvas.getBoundingClientRect();
		const send = (kind, share) => canvas.dispatchEvent(new PointerEvent(kind, {pointerId: 1, bubbles: true, clientY: box.top + 18 * %d + 9,
			clientX: box.left + 170 + share * (box.width - 170)}));
		canvas.setPointerCapture = () => {};
		send('pointerdown', %g); send('pointermove', %g); send('pointerup', %g);
	})()`, row, from, to, to))
}

// TestTimeline shows states and hangs, and has the graph be about the time that is chosen.
func TestTimeline(t *testing.T) {
	p := show(t, one(timed()))
	p.wants("#times", "Timeline")
	p.wants("#table tbody", "0x5000", "500 ms", "25.0 %")
	p.shot("timeline")
	p.drag(0.2, 0.45, 0)
	p.wants("#range", "200 ms to 450 ms", "250 ms")
	p.wants("#table tbody", "0x5000", "250 ms", "50.0 %", "0x8000")
	if text := p.text("#table tbody"); strings.Contains(text, "0x3000") {
		t.Errorf("it has what was at another time: %s", text)
	}
	p.shot("timeline-range")
	p.do(chromedp.Focus(chromedp.CSS("#times-canvas")))
	p.key(kb.ArrowRight)
	p.wants("#range", "450 ms to 700 ms")
	p.key("+")
	p.wants("#range", "450 ms to 950 ms")
	p.wants("#table tbody", "0x5000", "250 ms", "0x3000")
	p.key("-", kb.ArrowLeft, kb.ArrowLeft, kb.ArrowLeft)
	p.wants("#range", "0 ns to 250 ms")
	p.click("#whole")
	p.is("#range", "")
	p.wants("#table tbody", "0x5000", "500 ms", "25.0 %")
	p.drag(0.5, 0.5, 1) // a click
	p.is("#path", "Thread 2 idle")
	p.wants("#table tbody", "0x8000", "100.0 %")
}

// TestTimelineOfMany: the last of more threads than a canvas has room for is there, too,
// and what can be seen is drawn once for each frame of the screen.
func TestTimelineOfMany(t *testing.T) {
	p := show(t, one(many(4000)))
	p.script(`const scroll = document.getElementById('times-scroll'); scroll.scrollTop = scroll.scrollHeight;`)
	rows := eval[int](p, "Math.floor(document.getElementById('times-scroll').clientHeight / 18)")
	p.shot("timeline-many")
	const colors = `[2, 3].map((fromEnd) => {
		const canvas = document.getElementById('times-canvas'), scale = canvas.width / canvas.clientWidth;
		return canvas.getContext('2d').getImageData(Math.floor(400 * scale), Math.floor((canvas.clientHeight - 18 * fromEnd + 9) * scale), 1, 1).data.join();
	})`
	if got := eval[[]string](p, colors); got[0] == got[1] || got[0] == "0,0,0,0" || got[1] == "0,0,0,0" {
		t.Errorf("of the last threads one runs and one sleeps: %q, %d rows", got, rows)
	}
	p.script(`window.draws = 0; const clear = CanvasRenderingContext2D.prototype.clearRect;
		CanvasRenderingContext2D.prototype.clearRect = function (...box) { if (this.canvas.id === 'times-canvas') window.draws++; return clear.apply(this, box); };
		const canvas = document.getElementById('times-canvas'), box = canvas.getBoundingClientRect();
		canvas.setPointerCapture = () => {};
		const send = (kind, x) => canvas.dispatchEvent(new PointerEvent(kind, {pointerId: 1, bubbles: true, clientX: box.left + x, clientY: box.top + 9}));
		send('pointerdown', 300);
		for (let i = 0; i < 100; i++) send('pointermove', 301 + i);`)
	if n := eval[int](p, "window.draws"); n == 0 || n > 10 {
		t.Errorf("drawn %d times for 100 moves", n)
	}
	p.script(`document.getElementById('times-canvas').dispatchEvent(new PointerEvent('pointerup', {pointerId: 1, bubbles: true, clientX: 0}))`)
	p.drag(0.5, 0.5, rows-2) // a click
	p.is("#path", "Thread 4000 worker")
}

// TestTimelineTip tells what a thread did, and what it waited for.
func TestTimelineTip(t *testing.T) {
	p := show(t, one(timed()))
	point := func(share float64) {
		p.script(fmt.Sprintf(`(() => {
			const canvas = document.getElementById('times-canvas'), box = canvas.getBoundingClientRect();
			canvas.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientY: box.top + 9, clientX: box.left + 170 + %g * (box.width - 170)}));
		})()`, share))
	}
	point(0.1)
	p.wants("#tip", "sleeping, in 0x3000", "waits in epoll_wait: \"fd 5")
	point(0.5)
	p.wants("#tip", "runnable, in 0x5000", "hang: not seen in its run loop")
	p.shot("timeline-tip")
}

// TestNoTimeline: there is none where times were not kept.
func TestNoTimeline(t *testing.T) {
	p := show(t, one(worked()))
	if !eval[bool](p, "document.getElementById('times').hidden") {
		t.Error("a timeline of nothing")
	}
}
