package apple

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
)

// finish completes the profile.
func (r *spinProcessReader) finish() {
	r.endTimeline(r.whole)
	r.nameByID()
	for _, t := range r.profile.Threads {
		if !r.told[t] {
			t.Samples = sum(t.Roots)
		}
	}
	r.complete()
	r.measure()
	r.findMainThread()
	for _, t := range r.profile.Threads {
		r.tellStates(t)
		sortHeaviest(t)
	}
	if p := r.profile; p.Snapshots == 0 {
		for _, t := range p.Threads {
			p.Snapshots = max(p.Snapshots, t.Samples)
		}
	}
	r.timed()
}

// timed drops all timelines if they have more samples than the report, or if the
// interval between samples is unknown.
func (r *spinProcessReader) timed() {
	p := r.profile
	if r.steps <= p.Snapshots && (p.Interval > 0 || p.Snapshots <= 1) {
		return
	}
	for _, t := range p.Threads {
		t.Timeline = nil
	}
}

// nameByID gives images that frames name by UUID the path in the list of images.
func (r *spinProcessReader) nameByID() {
	paths := map[string]string{}
	for _, im := range r.listed {
		if len(im.ID) > 0 && im.Path != "" {
			paths[string(im.ID)] = im.Path
		}
	}
	for name, im := range r.named {
		if id := notation.ParseID(strings.Trim(name, "<>")); strings.HasPrefix(name, "<") && len(id) > 0 {
			im.Path = cmp.Or(paths[string(id)], im.Path)
			im.ID = id
		}
	}
}

// measure sets the end of images for which the report has none: after the highest
// frame in them.
func (r *spinProcessReader) measure() {
	if len(r.endless) == 0 {
		return
	}
	for _, t := range r.profile.Threads {
		for _, n := range t.Nodes() {
			if n.Image != nil && r.endless[n.Image] {
				n.Image.End = max(n.Image.End, n.PC+1)
			}
		}
	}
}

// findMainThread finds the main thread if its queue does not say which one it is.
func (r *spinProcessReader) findMainThread() {
	threads := r.profile.Threads
	if len(threads) == 0 || slices.ContainsFunc(threads, func(t *profile.Thread) bool { return t.Main }) {
		return
	}
	first := slices.MinFunc(threads, func(a, b *profile.Thread) int { return cmp.Compare(a.ID, b.ID) })
	first.Main = first.ID != 0 && isMainThread(first)
}

// isMainThread reports whether the oldest thread is the main thread, which may have
// ended: all other threads begin in the functions tested here.
func isMainThread(t *profile.Thread) bool {
	for _, n := range t.Roots {
		switch n.Function {
		case "thread_start", "start_wqthread", "_pthread_start":
			return false
		}
	}
	return true
}

// tellStates sets a thread's states and what it waited for, by its innermost frames,
// as far as the report has them.
func (r *spinProcessReader) tellStates(t *profile.Thread) {
	waits := map[string]*profile.Waited{}
	user := "" // innermost function outside the kernel on the path
	for _, n := range t.Nodes() {
		if !inKernel(n.PC) {
			user = n.Function
		}
		left := n.Self
		for _, text := range slices.Sorted(maps.Keys(r.states[n])) {
			count := min(r.states[n][text], left)
			state, object := parseSpinState(text)
			if left -= count; state == task.StateUnknown || count == 0 {
				continue
			}
			if n.States == nil {
				n.States = new(profile.States)
			}
			n.States[state] += count
			t.States[state] += count
			if object != "" {
				r.wait(waits, object, user).Looks += count
			}
		}
	}
	known := t.States[task.Running] + t.States[task.Sleeping]
	t.States[task.StateUnknown] += max(0, t.Samples-known)
	if len(waits) > 0 {
		t.Looks = t.Samples
	}
	for _, text := range slices.Sorted(maps.Keys(waits)) {
		t.Waits = append(t.Waits, *waits[text])
	}
	slices.SortStableFunc(t.Waits, func(a, b profile.Waited) int { return cmp.Compare(b.Looks, a.Looks) })
	if len(t.Waits) == 1 && t.Waits[0].Looks == t.Samples {
		t.Wait = &t.Waits[0].Wait
	}
}

// inKernel reports whether an address is in the kernel, which has the upper half of
// the address space.
func inKernel(pc task.Addr) bool { return pc>>63 != 0 }

// The state of a running thread, and the prefix of that of a blocked thread.
const (
	runningState = "running"
	blockedBy    = "blocked by "
)

// parseSpinState parses a state: "running, p-core", or "blocked by" and what the
// thread waits for.
func parseSpinState(s string) (state task.State, waitsFor string) {
	object, blocked := strings.CutPrefix(s, blockedBy)
	switch {
	case blocked:
		return task.Sleeping, object
	case s == runningState || strings.HasPrefix(s, runningState+", "):
		return task.Running, ""
	}
	return task.StateUnknown, ""
}

// wait returns the counter of waits for an object: "turnstile waiting for NAME [PID]
// thread 0xID". The owner may be a thread of this process.
func (r *spinProcessReader) wait(waits map[string]*profile.Waited, object, call string) *profile.Waited {
	w := waits[object]
	if w != nil {
		return w
	}
	w = &profile.Waited{Wait: profile.Wait{Call: strings.TrimLeft(call, "_"), Object: object}}
	waits[object] = w
	_, who, found := strings.Cut(object, " waiting for ")
	whose, thread, hasThread := notation.CutLast(who, " thread 0x")
	id, err := strconv.ParseUint(thread, 16, 64)
	if _, pid := parseSpinProcess(whose); !found || !hasThread || err != nil || pid != r.profile.Target.PID {
		return w
	}
	if t := r.byID()[task.ThreadID(id)]; t != nil {
		w.Owner, w.OwnerName = t.ID, t.Name
	}
	return w
}

// byID returns the threads by id.
func (r *spinProcessReader) byID() map[task.ThreadID]*profile.Thread {
	if r.threads == nil {
		r.threads = map[task.ThreadID]*profile.Thread{}
		for _, t := range r.profile.Threads {
			r.threads[t.ID] = t
		}
	}
	return r.threads
}

// sortHeaviest sorts siblings by samples. In a timeline they are in the order of
// time.
func sortHeaviest(t *profile.Thread) {
	heavier := func(a, b *profile.Node) int { return cmp.Compare(b.Count, a.Count) }
	slices.SortStableFunc(t.Roots, heavier)
	for _, n := range t.Nodes() {
		slices.SortStableFunc(n.Children, heavier)
	}
}
