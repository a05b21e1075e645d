package words

import (
	"cmp"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/profile/diff"
	"stacksnap/task"
	"stacksnap/unwind"
)

// The names of missing frames and stacks, and the marks of names, in formats for other
// programs.
const (
	NoStack        = diff.NoStack
	BetweenSamples = diff.BetweenSamples
	guessMark      = " (guess)"
	KernelMark     = " [k]"
)

// Label returns the name of a function for other programs, safe in a line of a terminal,
// without the offset in the function. Without a symbol, it is the image and offset.
func Label(n *profile.Node) string {
	offset := n.Offset
	if len(n.Also) > 0 && n.Image != nil && n.Area() >= n.Image.Load {
		offset = uint64(n.Area() - n.Image.Load)
	}
	address := n.PC
	if len(n.Also) > 0 {
		address = n.Area()
	}
	return marked(n, Unmarked(n, offset, address))
}

// AreaLabel is Label for frames that are merged by [profile.Node.Area]. Without a symbol,
// it is the same for all addresses in an area.
func AreaLabel(n *profile.Node) string {
	offset := n.Offset
	if n.Image != nil && n.Area() >= n.Image.Load {
		offset = uint64(n.Area() - n.Image.Load)
	}
	return marked(n, Unmarked(n, offset, n.Area()))
}

// ImageLabel returns the name of an image's file.
func ImageLabel(im *profile.Image) string {
	if name := im.Name(); name != "" {
		return Clean(name, MaxText)
	}
	return "image at " + im.Load.String()
}

func Unmarked(n *profile.Node, offset uint64, address task.Addr) string {
	switch {
	case n.Function != "":
		return Clean(n.Function, len(n.Function))
	case n.Image != nil:
		return ImageLabel(n.Image) + "+0x" + strconv.FormatUint(offset, 16)
	}
	return address.String()
}

// marked appends the marks of kernel frames and of guesses to a name.
func marked(n *profile.Node, name string) string {
	if n.Kernel {
		name += KernelMark
	}
	if n.By.Guess() {
		return name + guessMark
	}
	return name
}

// CutLabel returns the name that takes the place of the missing callers of an outermost
// frame.
func CutLabel(c *profile.Cut) string { return "<cut: " + c.Reason.String() + ">" }

// CutOf parses the result of CutLabel; nil for any other text.
func CutOf(text string) *profile.Cut {
	name, ok := strings.CutPrefix(strings.TrimSuffix(text, ">"), "<cut: ")
	if !ok {
		return nil
	}
	reason, ok := Named(name, unwind.Unsteady)
	if !ok || reason == unwind.Bottom {
		return &profile.Cut{Reason: unwind.NoCaller, Detail: name}
	}
	return &profile.Cut{Reason: reason}
}

// Named returns the value, from 0 to last, whose String is name; false if there is none.
func Named[T interface {
	~uint8
	String() string
}](name string, last T) (T, bool) {
	for v := range last + 1 {
		if v.String() == name {
			return v, true
		}
	}
	return 0, false
}

// ThreadLabel names a thread, or the threads of an entry, by the system's names.
func ThreadLabel(p *profile.Profile, t *profile.Thread) string { return threadLabel(p, t, t.Name) }

// ThreadTitle names a thread, or the threads of an entry, for people.
func ThreadTitle(p *profile.Profile, t *profile.Thread) string {
	title := threadLabel(p, t, p.ShownName(t))
	if runs := Goroutines(t); runs != "" {
		title += ", " + runs
	}
	return title
}

func threadLabel(p *profile.Profile, t *profile.Thread, name string) string {
	if t.Together != nil {
		return TogetherLabel(t.Together)
	}
	title := "Thread " + ThreadID(p.Target.OS, t.ID)
	if t.Weight() > 1 {
		title = Plural(t.Weight(), "thread") + " like " + ThreadID(p.Target.OS, t.ID)
	}
	if name != "" {
		title += " " + Clean(name, MaxText)
	}
	return title
}

// TogetherLabel names a group of threads.
func TogetherLabel(g *profile.Together) string {
	switch {
	case g.By == profile.ByState:
		return g.State.String()
	case g.By == profile.ByProcess:
		return "all threads"
	case g.Queue == "":
		return "no dispatch queue"
	}
	return "DispatchQueue " + Clean(g.Queue, MaxText)
}

// GroupName names the processes of a group in one line.
func GroupName(g *profile.Group) string {
	switch len(g.Profiles) {
	case 0:
		return ""
	case 1:
		return ProcessLabel(g.Profiles[0])
	}
	return ProcessLabel(g.Profiles[0]) + fmt.Sprintf(" and %d more", len(g.Profiles)-1)
}

func ProcessLabel(p *profile.Profile) string {
	name := Clean(cmp.Or(p.Target.Name, "???"), MaxText)
	if p.Target.PID == 0 {
		return name
	}
	return fmt.Sprintf("%s [%d]", name, p.Target.PID)
}

// shownNames has the thread names of a profile that are shown instead of the system's.
type shownNames struct {
	in         *profile.Profile // nil: none yet
	names      map[task.ThreadID]string
	goroutines map[task.ThreadID]uint64 // that threads run
}

// use reads the names and goroutines of a profile.
func (n *shownNames) use(p *profile.Profile) {
	if n.in == p {
		return
	}
	n.in, n.names, n.goroutines = p, map[task.ThreadID]string{}, map[task.ThreadID]uint64{}
	for t := range threadNames(p) {
		if shown := t.Shown(p.Target.Name); shown != t.Name {
			n.names[t.ID] = shown
		}
		if t.Goroutine != 0 {
			n.goroutines[t.ID] = t.Goroutine
		}
	}
}

// goroutine returns a phrase with the goroutine that a thread runs; "" if it is not known.
func (n *shownNames) goroutine(p *profile.Profile, id task.ThreadID) string {
	n.use(p)
	if name := Goroutine(n.goroutines[id]); name != "" {
		return " (" + name + ")"
	}
	return ""
}

// of returns the name to show for a thread whose system name is name.
func (n *shownNames) of(p *profile.Profile, id task.ThreadID, name string) string {
	n.use(p)
	if shown, ok := n.names[id]; ok {
		return shown
	}
	return name
}

// threadNames iterates over the threads of all entries.
func threadNames(p *profile.Profile) iter.Seq[profile.ThreadName] {
	return func(yield func(profile.ThreadName) bool) {
		for _, t := range p.Threads {
			all := append([]profile.ThreadName{{ID: t.ID, Name: t.Name, RuntimeName: t.RuntimeName, Goroutine: t.Goroutine.ID}}, t.Same...)
			if t.Together != nil {
				all = append(all, t.Together.Threads...)
			}
			for _, name := range all {
				if !yield(name) {
					return
				}
			}
		}
	}
}
