package jsondoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"stacksnap/format/internal/jsonstream"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// The schema that JSON.md describes. The version grows when a reader of the
// version before would be misled; new keys alone do not change it.
const (
	jsonSchema  = "stacksnap.profile"
	jsonVersion = 2 // "runnable" was "running" in version 1
)

// Write writes all that the report knows as one indented JSON document, in the schemas that
// JSON.md describes; that of a hang in one line.
func Write(w io.Writer, r *report.Report, _ words.Options) error { return write(w, r, "  ") }

// WriteLine writes the same document in one line: written one after the other, the
// documents of a stream are JSON lines. Of several processes there is a line on all of
// them, and then one on each.
func WriteLine(w io.Writer, r *report.Report, _ words.Options) error { return write(w, r, "") }

func write(w io.Writer, r *report.Report, indent string) error {
	switch {
	case r.Diff != nil:
		return encode(w, newJSONDiff(r.Diff), indent)
	case r.Hang != nil:
		return writeHang(w, r)
	case r.Several:
		return writeGroup(w, &r.Group, indent)
	}
	return writeProfile(w, r.Profiles[0], indent)
}

func writeProfile(w io.Writer, p *profile.Profile, indent string) error {
	return encode(w, newDocument(p), indent, p)
}

// encode writes any document of ours, safe for a terminal. The threads of the profiles
// in it, in this order, are not in it yet: they are written one after another, for
// together they may be large.
func encode(w io.Writer, document any, indent string, profiles ...*profile.Profile) error {
	doc, err := marshal(document, "", indent)
	if err != nil {
		return err
	}
	noThreads := []byte(`"threads":[]`) // no text is like it, whose quotes are escaped
	if indent != "" {
		noThreads = []byte(`"threads": []`)
	}
	for _, p := range profiles {
		i := bytes.Index(doc, noThreads) + len(noThreads) - len("]")
		if _, err := w.Write(jsonstream.EscapeUnprintable(doc[:i])); err != nil {
			return err
		}
		if err := encodeThreads(w, p, margin(doc[:i]), indent); err != nil {
			return err
		}
		doc = doc[i:]
	}
	_, err = w.Write(append(jsonstream.EscapeUnprintable(doc), '\n'))
	return err
}

// encodeThreads writes the threads of a profile, each in lines with a margin if there
// is an indent.
func encodeThreads(w io.Writer, p *profile.Profile, margin, indent string) error {
	index := imageIndexes(p)
	line := "\n" + margin
	if indent == "" {
		line = ""
	}
	for i, t := range p.Threads {
		thread, err := marshal(newJSONThread(t, index), margin+indent, indent)
		if err != nil {
			return err
		}
		before := line + indent
		if i > 0 {
			before = "," + before
		}
		if _, err := io.WriteString(w, before); err != nil {
			return err
		}
		if _, err := w.Write(jsonstream.EscapeUnprintable(thread)); err != nil {
			return err
		}
	}
	if len(p.Threads) == 0 {
		return nil
	}
	_, err := io.WriteString(w, line)
	return err
}

// margin is what the last line begins with.
func margin(doc []byte) string {
	last := doc[bytes.LastIndexByte(doc, '\n')+1:]
	return string(last[:len(last)-len(bytes.TrimLeft(last, " "))])
}

// marshal writes a value without a line end.
func marshal(value any, prefix, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, indent)
	if err := enc.Encode(value); err != nil {
		return nil, fmt.Errorf("encode profile: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
