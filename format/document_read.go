package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"stacksnap/format/profile"
)

// The bounds of a document that is read.
const (
	maxDocument        = 1 << 30 // bytes
	maxDocumentNodes   = 1 << 20 // of all threads
	maxDocumentThreads = 1 << 17
	maxDocumentImages  = 1 << 16
	maxCounted         = 1 << 50 // samples, and each time in nanoseconds
)

// ErrNotDocument says that a file is no JSON document of a profile.
var ErrNotDocument = errors.New("not a JSON document of stacksnap")

// errDocumentSize is the error of a document that is beyond the bounds.
var errDocumentSize = errors.New("the document is too large")

// ReadJSON reads a document that [JSON] has written, into the profile that it was made
// of as far as the document tells. Of a view, only what was chosen can be read, and a note
// says so. The error wraps [ErrNotDocument] where it is something else.
func ReadJSON(r io.Reader) (*profile.Profile, error) { return readJSON(r, maxDocumentNodes) }

func readJSON(r io.Reader, maxNodes int) (*profile.Profile, error) {
	limited := &io.LimitedReader{R: r, N: maxDocument}
	d := documentReader{dec: json.NewDecoder(limited), fields: map[string]json.RawMessage{}, room: maxNodes}
	err := d.read()
	if limited.N <= 0 {
		return nil, errDocumentSize
	}
	if err != nil {
		return nil, err
	}
	return d.profile()
}

// documentReader reads threads one after another, so that not all of a document is held
// twice.
type documentReader struct {
	dec     *json.Decoder
	fields  map[string]json.RawMessage // but the threads
	threads []*profile.Thread
	images  []*profile.Image // those that nodes name; what they are is filled in at the end
	nodes   int
	room    int // how many nodes there may be
	samples int64
}

func (d *documentReader) read() error {
	if t, err := d.dec.Token(); err != nil || t != json.Delim('{') {
		return ErrNotDocument
	}
	for d.dec.More() {
		key, err := d.dec.Token()
		if err != nil {
			return d.wrong(err)
		}
		if key == "threads" {
			err = d.readThreads()
		} else {
			var value json.RawMessage
			err = d.dec.Decode(&value)
			d.fields[key.(string)] = value // keys are strings, or there is an error
		}
		if err != nil {
			return d.wrong(err)
		}
	}
	if _, err := d.dec.Token(); err != nil {
		return d.wrong(err)
	}
	if schema := d.text("schema"); schema != jsonSchema {
		return d.foreign(schema)
	}
	if _, err := d.dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the file has more than one document, or more than that: give each by itself")
	}
	return nil
}

// wrong is an error of the document, unless it is no document of ours.
func (d *documentReader) wrong(err error) error {
	if schema := d.text("schema"); schema != jsonSchema && schema != "" || schema == "" && d.nodes == 0 {
		return d.foreign(schema)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the document ends early")
	}
	return fmt.Errorf("read the document: %w", err)
}

func (d *documentReader) text(key string) (value string) {
	_ = json.Unmarshal(d.fields[key], &value) // what is no text is empty
	return value
}

// foreign says what a document is that is none of a profile.
func (d *documentReader) foreign(schema string) error {
	switch schema {
	case groupSchema:
		return errors.New("the document is about several processes: give that of one")
	case diffSchema:
		return errors.New("the document is a diff already: give those of profiles")
	}
	return ErrNotDocument
}

func (d *documentReader) readThreads() error {
	if t, err := d.dec.Token(); err != nil || t != json.Delim('[') {
		return errors.Join(errors.New(`"threads" is no list`), err)
	}
	for d.dec.More() {
		if len(d.threads) == maxDocumentThreads {
			return errDocumentSize
		}
		var j jsonThread
		if err := d.dec.Decode(&j); err != nil {
			return err
		}
		t, err := d.thread(&j)
		if err != nil {
			return fmt.Errorf("thread %d: %w", j.ID, err)
		}
		d.threads = append(d.threads, t)
	}
	_, err := d.dec.Token()
	return err
}

// profile is the whole, once all is read.
func (d *documentReader) profile() (*profile.Profile, error) {
	if schema := d.text("schema"); schema != jsonSchema {
		return nil, d.foreign(schema)
	}
	whole, err := json.Marshal(d.fields)
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	var j jsonDocument
	if err := json.Unmarshal(whole, &j); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	if j.Version != jsonVersion {
		return nil, fmt.Errorf("the document has version %d, and only %d is read", j.Version, jsonVersion)
	}
	if len(d.images) > len(j.Images) {
		return nil, fmt.Errorf("a frame is in image %d, of %d", len(d.images)-1, len(j.Images))
	}
	if err := j.check(); err != nil {
		return nil, err
	}
	return d.model(&j)
}

// check refuses what is no profile as it was captured.
func (j *jsonDocument) check() error {
	if len(j.Images) > maxDocumentImages {
		return errDocumentSize
	}
	for _, n := range []int64{int64(j.Snapshots), int64(j.MissedTicks), int64(j.Stops), int64(j.Frames), int64(j.Walks),
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
