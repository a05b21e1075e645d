package words

import (
	"fmt"
	"strconv"
	"strings"

	"stacksnap/task"
)

// CommandLine formats a command line so that a shell reads it back. Arguments with special
// characters are in quotation marks.
func CommandLine(c task.Command) string {
	var b strings.Builder
	for i, a := range c.Args {
		if i > 0 {
			b.WriteByte(' ')
		}
		if b.Len() > MaxPath {
			b.WriteString("…")
			return b.String()
		}
		b.WriteString(argument(a))
	}
	if c.Cut {
		b.WriteString(" …")
	}
	return b.String()
}

func argument(a string) string {
	if s := Clean(a, MaxPath); s == a && a != "" && !isCommand(a) && !strings.ContainsAny(a, " ()#") {
		return s
	}
	return quotedWord(a, MaxPath)
}

// hardware describes the computer, as far as known.
func hardware(m *task.Machine) string {
	var parts []string
	for _, name := range []string{m.Model, m.CPU} {
		if name != "" {
			parts = append(parts, Word(name, MaxText))
		}
	}
	if m.CPUs > 0 {
		processors := Plural(m.CPUs, "processor")
		if m.Active > 0 && m.Active < m.CPUs {
			processors += " (" + Count(m.Active) + " in use)"
		}
		parts = append(parts, processors)
	}
	if m.Memory > 0 {
		parts = append(parts, byteSize(m.Memory)+" of memory")
	}
	return strings.Join(parts, ", ")
}

// footprintName returns the system's term for the memory footprint.
func footprintName(os task.OS) string {
	if os == task.Darwin {
		return "Footprint"
	}
	return "Resident Memory"
}

func footprint(f task.Footprint) string {
	switch {
	case f.Now == 0:
		return ""
	case f.Peak < f.Now: // unknown, or measured at another time
		return byteSize(f.Now)
	}
	return byteSize(f.Now) + " (peak " + byteSize(f.Peak) + ")"
}

// byteSize formats a size to about three digits in a suitable unit.
func byteSize(n uint64) string {
	const kilo = 1 << 10
	if n < kilo {
		return strconv.FormatUint(n, 10) + " B"
	}
	size, unit := float64(n)/kilo, 0
	for ; size >= kilo && unit < len("KMGTPE")-1; unit++ {
		size /= kilo
	}
	digits := 0
	if size < 100 {
		digits = 1
	}
	return strings.Replace(fmt.Sprintf("%.*f", digits, size), ".0", "", 1) + " " + "KMGTPE"[unit:unit+1] + "iB"
}
