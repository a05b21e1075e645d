package apple

// texts keeps each text once, for names occur in many lines, and bounds them all.
type texts struct {
	kept  map[string]string
	bytes int
}

// maxTexts is how many bytes of names a report may have.
const maxTexts = 256 << 20

// of returns the kept copy of s. It is false when there is no room.
func (t *texts) of(s string) (string, bool) {
	if kept, ok := t.kept[s]; ok {
		return kept, true
	}
	if t.bytes += len(s); t.bytes > maxTexts {
		return "", false
	}
	kept := string([]byte(s)) // not the line that it is a part of
	t.kept[kept] = kept
	return kept, true
}
