package jsondoc

import (
	"errors"
	"fmt"
	"io"

	"stacksnap/format/jsonpart"
	"stacksnap/format/profile"
	"stacksnap/task/unpack"
)

// The bounds of a document that [Read] accepts.
const (
	maxDocument        = 1 << 30       // bytes
	maxDocumentNodes   = 1<<19 + 1<<15 // most nodes of all threads; a capture makes at most as many
	maxDocumentThreads = 1 << 17
	maxDocumentText    = 64 << 20 // bytes of names, and of the members of threads besides nodes
	maxDocumentImages  = 1 << 16
	maxCounted         = 1 << 50 // samples, and nanoseconds of each time
)

// ErrNotDocument is returned for a file that is no JSON document of a profile.
var ErrNotDocument = errors.New("not a JSON document of stacksnap")

// errDocumentSize is returned for a document that exceeds the bounds.
var errDocumentSize = errors.New("the document is too large")

// Read reads a document that [Write] has written and returns its profile. If the document
// was reduced by --focus, --ignore or --hide, so is the profile, and a note says so. The
// error wraps [ErrNotDocument] if the input is something else.
func Read(r io.Reader) (*profile.Profile, error) { return readJSON(r, maxDocumentNodes) }

func readJSON(r io.Reader, maxNodes int) (*profile.Profile, error) {
	limited := &io.LimitedReader{R: r, N: maxDocument}
	d := documentReader{in: jsonpart.NewReader(limited), room: maxNodes, names: map[string]string{}}
	err := d.read()
	if limited.N <= 0 {
		return nil, errDocumentSize
	}
	if err != nil {
		return nil, err
	}
	return d.profile()
}

// documentReader reads threads and nodes one by one, so that it never holds the whole
// document in memory.
type documentReader struct {
	in      *jsonpart.Reader
	whole   jsonDocument // the document without the threads and tasks
	threads []*profile.Thread
	tasks   []*profile.Task
	images  []*profile.Image // the images of nodes, filled in at the end
	names   map[string]string
	kept    int // bytes of names and of the members of threads besides nodes
	nodes   int
	room    int // the most nodes
	samples int64
}

func (d *documentReader) read() error {
	if err := d.in.Members(d.member); err != nil {
		return d.wrong(err)
	}
	if d.whole.Schema != jsonSchema {
		return d.foreign(d.whole.Schema)
	}
	if err := d.in.End(); err != nil {
		return errors.New("the file has more than one document, or more than that: give each by itself")
	}
	return nil
}

func (d *documentReader) member(name string) error {
	read := d.readThread
	switch name {
	case "threads":
	case "tasks":
		read = d.readTask
	default:
		return d.in.Member(name, &d.whole)
	}
	if err := d.in.Elements(read); err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return nil
}

// wrong returns the error of a malformed document, or [ErrNotDocument] if it is none of
// ours.
func (d *documentReader) wrong(err error) error {
	if errors.Is(err, unpack.ErrBomb) {
		return unpack.ErrBomb
	}
	if schema := d.whole.Schema; schema != jsonSchema && schema != "" || schema == "" && d.nodes == 0 {
		return d.foreign(schema)
	}
	if errors.Is(err, jsonpart.ErrTooLarge) || errors.Is(err, errDocumentSize) {
		return errDocumentSize
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the document ends early")
	}
	return fmt.Errorf("read the document: %w", err)
}

// foreign returns the error for a document whose schema is not that of a profile.
func (d *documentReader) foreign(schema string) error {
	switch schema {
	case groupSchema:
		return errors.New("the document is about several processes: give that of one")
	case diffSchema:
		return errors.New("the document is a diff already: give those of profiles")
	}
	return ErrNotDocument
}

// profile returns the profile after the whole document was read.
func (d *documentReader) profile() (*profile.Profile, error) {
	j := &d.whole
	if j.Version != jsonVersion {
		return nil, fmt.Errorf("the document has version %d, and only %d is read", j.Version, jsonVersion)
	}
	if len(d.images) > len(j.Images) {
		return nil, fmt.Errorf("a frame is in image %d, of %d", len(d.images)-1, len(j.Images))
	}
	if err := j.check(); err != nil {
		return nil, err
	}
	return d.model(j)
}

// check returns an error for numbers out of range, and for a view that cannot be read back.
func (j *jsonDocument) check() error {
	if len(j.Images) > maxDocumentImages {
		return errDocumentSize
	}
	for _, n := range []int64{int64(j.Snapshots), int64(j.MissedTicks), int64(j.Halted), int64(j.Stops), int64(j.Frames), int64(j.Walks),
		int64(j.Bottoms), int64(j.MissedThreads), j.Interval, j.Stopped, j.LongestStop, j.OwnCPU} {
		if n < 0 || n > maxCounted {
			return fmt.Errorf("a number is %d", n)
		}
	}
	if v := j.View; v != nil && (v.Inverted || v.Least > 0 || v.Depth > 0 || v.By != "") {
		return errors.New("the document was written with --invert, --min, --depth or --by: write it without, which can be given when it is read")
	}
	return nil
}
