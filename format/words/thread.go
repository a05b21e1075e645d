package words

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
	"stacksnap/task"
)

// DispatchQueue formats a queue as spindump does, with its serial number after the label.
func DispatchQueue(t *profile.Thread) string {
	switch {
	case t.Queue == "":
		return ""
	case t.QueueSerial == 0:
		return "DispatchQueue " + Quoted(t.Queue)
	}
	return fmt.Sprintf("DispatchQueue %s(%d)", Quoted(t.Queue), t.QueueSerial)
}

// Goroutine names a goroutine; "" for 0, which none has.
func Goroutine(id uint64) string {
	if id == 0 {
		return ""
	}
	return "goroutine " + strconv.FormatUint(id, 10)
}

// Goroutines describes the goroutines that the threads of an entry run, and the labels of the only one; "" if
// none are known.
func Goroutines(t *profile.Thread) string {
	var ids []string
	add := func(id uint64) {
		if id != 0 {
			ids = append(ids, strconv.FormatUint(id, 10))
		}
	}
	add(t.Goroutine.ID)
	for _, s := range t.Same {
		add(s.Goroutine)
	}
	switch len(ids) {
	case 0:
		return ""
	case 1:
		return "goroutine " + ids[0] + labels(t.Goroutine.Labels)
	}
	return "goroutines " + Listed(ids[:min(len(ids), maxIDs)], len(ids))
}

// labels returns the labels of a goroutine: ` {"handler": "/login"}`.
func labels(texts []string) string {
	var parts []string
	for i := 0; i+1 < len(texts); i += 2 {
		parts = append(parts, Quoted(texts[i])+": "+Quoted(texts[i+1]))
	}
	if len(parts) == 0 {
		return ""
	}
	return " {" + strings.Join(parts, ", ") + "}"
}

// maxIDs is the most thread ids in one line.
const maxIDs = 4

// ThreadIDs lists the ids of the first few threads.
func ThreadIDs(os task.OS, all []profile.ThreadName) string {
	shown := all
	if len(all) > maxIDs {
		shown = all[:maxIDs-1]
	}
	ids := make([]string, len(shown))
	for i, t := range shown {
		ids[i] = ThreadID(os, t.ID)
	}
	return Listed(ids, len(all))
}

// Listed joins the first elements of a list, and adds the number of the others. all is the
// length of the list.
func Listed(first []string, all int) string {
	text := strings.Join(first, ", ")
	if more := all - len(first); more > 0 {
		text += " and " + Count(more) + " more"
	}
	return text
}

// Samples describes the number of samples of a thread, and their range, counted from 1, if
// it was not in all snapshots.
func (p *Printer) Samples(t *profile.Thread) string {
	switch {
	case p.Total == 0 || !p.Profile.Sampled():
		return ""
	case t.Together != nil:
		return Plural(t.Samples, "sample")
	case t.Samples == p.Profile.Snapshots, t.Last < t.First:
		return Plural(t.Samples, "sample")
	}
	return fmt.Sprintf("%s (%s to %s)", Plural(t.Samples, "sample"), Count(t.First+1), Count(t.Last+1))
}

// States describes the state of a thread or, for many samples, the number in each state.
func (p *Printer) States(t *profile.Thread) string {
	if p.Total == 0 {
		return turn(t)
	}
	if t.Together != nil && t.Together.By == profile.ByState {
		return "" // it is in the title
	}
	return strings.Join(stateCounts(t.States), ", ")
}

// stateCounts describes the number of samples in each state.
func stateCounts(states profile.States) (parts []string) {
	for s, n := range states {
		if name := StateName(task.State(s)); n > 0 && name != "" {
			parts = append(parts, name+" "+Count(n))
		}
	}
	return parts
}

// Priority describes the QoS that a thread requests, and its scheduling priority.
func Priority(t *profile.Thread) string {
	var parts []string
	if class := t.QoS.String(); class != "" {
		parts = append(parts, "QoS "+class)
	}
	switch p := t.Priority; {
	case p == task.Priority{}:
	case p.Now == p.Base || p.Base == 0:
		parts = append(parts, fmt.Sprintf("priority %d", p.Now))
	default:
		parts = append(parts, fmt.Sprintf("priority %d (base %d)", p.Now, p.Base))
	}
	return strings.Join(parts, "  ")
}

func StateName(s task.State) string {
	if s == task.StateUnknown || s > task.Ended {
		return ""
	}
	return s.String()
}

// Cpu describes the CPU time of a thread since its start; empty if it is 0, which may mean
// unknown.
func (p *Printer) Cpu(t *profile.Thread) string {
	cpu := t.User + t.System
	if cpu == 0 {
		return ""
	}
	s := "CPU " + Seconds(cpu)
	if p.Profile.Sampled() {
		s += " since its start"
	}
	if system := float64(t.System) / float64(cpu); system >= leastSystem {
		s += " (" + Percent(system) + " system)"
	}
	if p.Profile.Sampled() && p.Spent(t) == "" {
		s += fmt.Sprintf(", %s of it meanwhile", Seconds(t.Used))
	}
	if isSum(t) {
		s += " together"
	}
	return s
}

// leastSystem is the least fraction of a CPU time that is shown as system time: less may be only
// one step of the counter.
const leastSystem = 0.01

// Missing describes what is missing of a thread, and why; empty if nothing is.
func (p *Printer) Missing(t *profile.Thread) string {
	reason := Clean(t.Err, MaxText)
	switch {
	case t.Empty > 0 && p.Total > 0:
		return fmt.Sprintf("no stack in %s of %s: %s", Count(t.Empty), Plural(t.Samples, "sample"), reason)
	case t.Empty > 0:
		return "no stack: " + reason
	case reason != "":
		return "incomplete: " + reason
	}
	return ""
}

// mostlyOwn is the least share of a thread's samples in one function of own code for which the report
// says that the thread was in it.
const mostlyOwn = 0.5

// MostlyIn returns a phrase with the function of own code in which a thread was in most of its
// samples, or in what that function called; "" if there is none.
func (p *Printer) MostlyIn(t *profile.Thread) string {
	in := map[string]int{}
	var most *profile.Node
	var path []*profile.Node
	for depth, n := range t.Nodes() {
		if path = append(path[:depth], n); n.Self == 0 {
			continue
		}
		own := owncode.Innermost(path)
		if own == nil {
			continue
		}
		in[own.Function] += n.Self
		if most == nil || in[own.Function] > in[most.Function] {
			most = own
		}
	}
	if most == nil {
		return ""
	}
	text := "in " + p.functionIn(most.Location, nameRoom) + sourceLine(&most.Location)
	switch share := float64(in[most.Function]) / float64(cmp.Or(t.Samples, 1)); {
	case share < mostlyOwn:
		return ""
	case in[most.Function] != t.Samples:
		text += " in " + Percent(share) + " of its samples"
	}
	return text
}

// ThreadName names a thread for people; name is its name in the system.
func (p *Printer) ThreadName(id task.ThreadID, name string) string {
	s := "thread " + ThreadID(p.Profile.Target.OS, id)
	name = p.names.of(p.Profile, id, name)
	if name != "" {
		s += " " + Quoted(name)
	}
	return s + p.names.goroutine(p.Profile, id)
}
