package text

import (
	"fmt"

	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
)

// leastAsleep is how much of a thread's samples, in percent, have to find it asleep,
// and in one place, for a line instead of a tree.
const leastAsleep = 99

// fewThreads is the maximum number of threads whose trees are all shown.
const fewThreads = 3

// listsAsleep reports whether threads that were asleep have lines instead of trees.
func (p *printer) listsAsleep() bool {
	return p.Profile.NumThreads() > fewThreads && p.least != 0 && !p.everyFrame && !p.IsInverted()
}

// isAsleep reports whether one line says as much about a thread as its tree: the
// thread was asleep in one place, and waited for nothing that another thread holds.
func isAsleep(t *profile.Thread) bool {
	stack := t.Heaviest()
	if t.Main || len(stack) == 0 || t.Err != "" || t.Empty > 0 || t.SuspendCount > 0 {
		return false
	}
	enough := func(n int) bool { return 100*n >= leastAsleep*t.Samples }
	return enough(t.States[task.Sleeping]) && enough(stack[len(stack)-1].Count) && !waitsForAnother(t)
}

// asleep lists threads that were asleep in one place.
func (p *printer) asleep(threads []*profile.Thread) {
	if len(threads) == 0 {
		return
	}
	line := words.NewStackLine(p.Profile, p.Width)
	plain := printer{Printer: line.Printer} // without colours, because a cut line could end within one
	p.Line("")
	p.Text("", 2, fmt.Sprintf("Asleep in one place, in %d %% of their samples or more (--min 0 shows the trees):", leastAsleep))
	for _, t := range threads {
		who := plain.title(t)
		if name := p.names(t); name != "" {
			who += " " + name
		}
		p.Line("%s", words.Clip("  "+who+": "+line.Stack(t.Heaviest()), line.Width))
	}
}
