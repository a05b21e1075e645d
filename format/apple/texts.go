package apple

// texts keeps one copy of each text, because names occur in many lines, and limits
// the total size.
type texts struct {
	kept  map[string]string
	bytes int
}

// maxTexts is the maximum size of all names in a report, in bytes.
const maxTexts = 256 << 20

// of returns the kept copy of s. It reports false if there is no room.
func (t *texts) of(s string) (string, bool) {
	if kept, ok := t.kept[s]; ok {
		return kept, true
	}
	if t.bytes += len(s); t.bytes > maxTexts {
		return "", false
	}
	kept := string([]byte(s)) // a copy, so that the line is not kept in memory
	t.kept[kept] = kept
	return kept, true
}
