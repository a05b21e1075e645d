package recording

import "stacksnap/task"

// The bounds of the labels of a goroutine: how many texts they have, keys and values, and the bytes of each.
const (
	maxLabelTexts = 64
	maxLabelText  = 1 << 10
)

// appendGoroutine appends the goroutine of a thread if it has changed.
func appendGoroutine(b []byte, before, g *task.Goroutine) []byte {
	if g.Equal(before) {
		return b
	}
	b = appendUint(b, 35, g.ID)
	if len(g.Labels) == 0 || len(g.Labels) > maxLabelTexts {
		return b
	}
	b, at := begin(b, 36)
	for _, text := range g.Labels {
		b = appendBytes(b, 1, text[:min(len(text), maxLabelText)])
	}
	return end(b, at)
}

// parseGoroutine reads one of the fields of a goroutine. The number comes first, and has no labels yet.
func parseGoroutine(m *message, g *task.Goroutine) error {
	if m.field == 35 {
		*g = task.Goroutine{ID: m.n}
		return nil
	}
	g.Labels = nil
	in := newMessage(m.data)
	for in.next() {
		if in.field != 1 {
			continue
		}
		if len(g.Labels) == maxLabelTexts || len(in.data) > maxLabelText {
			return errTooBig
		}
		g.Labels = append(g.Labels, in.text())
	}
	return in.err
}
