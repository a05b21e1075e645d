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

// The schema of a profile, as in JSON.md. The version grows when a reader of the previous
// version would be misled; new keys alone do not change it.
const (
	jsonSchema  = "stacksnap.profile"
	jsonVersion = 2 // "runnable" was "running" in version 1
)

// Write writes the report as one indented JSON document, in the schemas that JSON.md
// describes. The report of a hang is one line.
func Write(w io.Writer, r *report.Report, _ words.Options) error { return write(w, r, "  ") }

// WriteLine writes the document of [Write] in one line, so that several make a stream of
// JSON lines. For several processes it writes a line about all of them and then a line for
// each.
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

// encode writes a document with control characters escaped. It puts the threads of the
// profiles, in this order, into the document's empty lists of threads. They are written one
// by one, as together they may be large.
func encode(w io.Writer, document any, indent string, profiles ...*profile.Profile) error {
	doc, err := marshal(document, "", indent)
	if err != nil {
		return err
	}
	noThreads := []byte(`"threads":[]`) // not found within a text, where quotes are escaped
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

// encodeThreads writes the threads of a profile. With an indent, each line begins with
// margin.
func encodeThreads(w io.Writer, p *profile.Profile, margin, indent string) error {
	index, m := imageIndexes(p), newMarshaler(margin+indent, indent)
	line := "\n" + margin
	if indent == "" {
		line = ""
	}
	for i, t := range p.Threads {
		thread, err := m.marshal(newJSONThread(t, index))
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

// margin returns the leading blanks of the last line.
func margin(doc []byte) string {
	last := doc[bytes.LastIndexByte(doc, '\n')+1:]
	return string(last[:len(last)-len(bytes.TrimLeft(last, " "))])
}

// marshal returns the JSON of a value without a line end.
func marshal(value any, prefix, indent string) ([]byte, error) {
	return newMarshaler(prefix, indent).marshal(value)
}

// marshaler makes the JSON of one value after another in the same memory.
type marshaler struct {
	out     bytes.Buffer
	encoder *json.Encoder
}

func newMarshaler(prefix, indent string) *marshaler {
	m := &marshaler{}
	m.encoder = json.NewEncoder(&m.out)
	m.encoder.SetEscapeHTML(false)
	m.encoder.SetIndent(prefix, indent)
	return m
}

// marshal returns the JSON of a value without a line end. It is valid until the next one.
func (m *marshaler) marshal(value any) ([]byte, error) {
	m.out.Reset()
	if err := m.encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode profile: %w", err)
	}
	return bytes.TrimSuffix(m.out.Bytes(), []byte("\n")), nil
}
