package recording

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"stacksnap/task"
)

// Reader reads the snapshots of a recording in order. It is not safe for concurrent
// use.
type Reader struct {
	file   io.ReadSeeker
	open   func(io.Reader) (*blockReader, error)
	header Header
	files  files
	tasks  tasks
	count  int
	end    End
	cut    error // a *CutError; nil if the recording ended properly
	size   int64 // of the file

	state
	blocks *blockReader
	block  message // rest of the current block
}

// state is what changes from snapshot to snapshot.
type state struct {
	snapshots  int    // read so far
	effort     effort // what is left for the rest
	clock      clock
	tally      tally
	line       line
	threads    map[task.ThreadID]*thread
	stackBytes int
	waiting    bool // some threads have their waits in themselves
	memory     store
	mapped     Map
	generation int
	looks      []Look // for the next snapshot
	learnt     bool   // memory or maps have changed since the last snapshot
}

// NewReader reads a recording once from start to end, and is then ready to return the
// snapshots. The error wraps [ErrNotRecording] or is a *[VersionError] if that is the
// reason. It is no error if the recording was cut off or damaged after its header:
// see [Reader.Cut].
func NewReader(file io.ReadSeeker) (*Reader, error) {
	return newReader(file, newBlockReader)
}

func newReader(file io.ReadSeeker, open func(io.Reader) (*blockReader, error)) (*Reader, error) {
	r := &Reader{file: file, open: open}
	var err error
	if r.size, err = file.Seek(0, io.SeekEnd); err != nil {
		return nil, fmt.Errorf("read recording: %w", err)
	}
	if err := r.rewind(); err != nil {
		return nil, err
	}
	if err := r.survey(); err != nil {
		return nil, err
	}
	return r, r.rewind()
}

// rewind goes back to the first record.
func (r *Reader) rewind() (err error) {
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read recording: %w", err)
	}
	r.state = state{threads: map[task.ThreadID]*thread{}, memory: newStore(), effort: effortFor(r.size)}
	r.block = message{}
	r.blocks, err = r.open(r.file)
	return err
}

// survey reads what holds for the whole recording, and counts the snapshots.
func (r *Reader) survey() error {
	kind, data, err := r.record()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return notRecording(ErrCutEarly)
	}
	if err != nil || kind != 1 {
		return notRecording(errors.Join(err, errors.New("it has no header")))
	}
	if r.header, err = parseHeader(data); err != nil {
		return notRecording(err)
	}
	for {
		kind, data, err := r.record()
		switch {
		case err != nil:
		case kind == 10:
			r.count++
		case kind == 11:
			r.end, err = parseEnd(data)
			r.end.Tasks, r.end.TaskCircles = r.tasks.all, r.tasks.circles
			if err == nil {
				return nil
			}
		default:
			err = r.learn(kind, data)
		}
		if err != nil {
			r.cut = &CutError{r.count, err}
			return nil
		}
	}
}

// learn reads what holds for the whole recording, or for its end.
func (r *Reader) learn(kind int, data []byte) error {
	known, err := r.tasks.learn(kind, data)
	if !known {
		err = r.files.learn(kind, data)
	}
	if err == nil && int64(r.files.held+r.tasks.held) > r.effort.held {
		err = ErrTooMuch
	}
	return err
}

// record returns the next record.
func (r *Reader) record() (kind int, data []byte, err error) {
	for {
		for r.block.next() {
			if err := r.charge(stepsRecord); err != nil {
				return 0, nil, err
			}
			if r.block.field != 1 {
				continue
			}
			m := newMessage(r.block.data)
			if m.next() {
				return m.field, m.data, nil
			}
			if m.err != nil {
				return 0, nil, m.err
			}
		}
		if r.block.err != nil {
			return 0, nil, r.block.err
		}
		payload, err := r.blocks.next()
		if err != nil {
			return 0, nil, err
		}
		if err := r.charge(stepsBlock + len(payload)/bytesPerStep); err != nil {
			return 0, nil, err
		}
		r.block = newMessage(payload)
	}
}

// charge takes steps. It fails if they exceed what is left.
func (s *state) charge(steps int) error {
	if !s.effort.spend(steps) {
		return ErrTooMuch
	}
	return nil
}

// hold fails if the state exceeds the memory limit.
func (r *Reader) hold() error {
	n := r.files.held + r.tasks.held + r.stackBytes + len(r.memory.chunks)*chunkCost + len(r.threads)*costThread
	if int64(n) > r.effort.held {
		return ErrTooMuch
	}
	return nil
}

// Header returns the recording's header.
func (r *Reader) Header() Header { return r.header }

// Snapshots returns the number of snapshots.
func (r *Reader) Snapshots() int { return r.count }

// Cut returns nil if the recording ended properly, else a *[CutError].
func (r *Reader) Cut() error { return r.cut }

// End returns what was recorded at the end; it is zero if the recording was cut.
func (r *Reader) End() End { return r.end }

// Generation returns the number of maps up to the last snapshot read. While it is the
// same, so is what is mapped. It is 0 before there is a map.
func (r *Reader) Generation() int { return r.generation }

// Files returns the images mapped at the last snapshot read, in the loader's order.
func (r *Reader) Files() []*File {
	mapped := make([]*File, 0, len(r.mapped.Images))
	for _, n := range r.mapped.Images {
		mapped = append(mapped, r.files.all[n]) // checked when the map was read
	}
	return mapped
}

// Regions returns the mappings of code at the last snapshot read.
func (r *Reader) Regions() iter.Seq2[task.Region, error] {
	regions := r.mapped.Regions
	return func(yield func(task.Region, error) bool) {
		for _, region := range regions {
			if !yield(region, nil) {
				return
			}
		}
	}
}

// Memory returns what had been read of the target's memory up to the last snapshot
// read.
func (r *Reader) Memory() task.Memory { return &r.memory }

// Next returns the next snapshot. Its threads and their stacks are shared with later
// snapshots; the caller must not modify them, and they are valid until the next call.
// At the end the error is io.EOF, or that of Cut.
func (r *Reader) Next() (*Sample, error) {
	if r.snapshots == r.count {
		if r.cut != nil {
			return nil, r.cut
		}
		return nil, io.EOF
	}
	for {
		s, err := r.step()
		if err != nil {
			r.count = r.snapshots
			r.cut = &CutError{r.count, err}
			return nil, r.cut
		}
		if s != nil {
			r.snapshots++
			return s, nil
		}
	}
}

// step reads a record. It returns a snapshot if the record completes one.
func (r *Reader) step() (*Sample, error) {
	kind, data, err := r.record()
	if err == nil {
		err = r.hold()
	}
	if err != nil {
		return nil, err
	}
	switch kind {
	case 3:
		return nil, r.setMap(data)
	case 7:
		return nil, r.setMemory(data)
	case 8:
		return nil, r.setFault(data)
	case 9:
		return nil, r.setThread(data)
	case 10:
		return r.snapshot(data)
	case 12:
		return nil, r.setLook(data)
	case 13:
		return nil, r.setOtherLook(data)
	}
	return nil, nil
}

// Cache returns where the shared cache is mapped; zero: none is.
func (r *Reader) Cache() SharedCache { return r.mapped.Cache }

func (r *Reader) setMap(data []byte) error {
	m, err := parseMap(data)
	if err != nil {
		return err
	}
	for _, n := range m.Images {
		if _, err := r.files.file(n); err != nil {
			return err
		}
	}
	r.mapped = m
	r.generation++
	r.learnt = true
	return r.charge(stepsImage * (len(m.Images) + len(m.Regions)))
}

func (s *state) setMemory(data []byte) error {
	var a task.Addr
	var b []byte
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			a = task.Addr(m.n)
		case 2:
			b = m.data
		}
	}
	s.learnt = true
	s.memory.put(a, b, func(task.Addr, *chunk) {})
	return m.err
}

func (s *state) setFault(data []byte) error {
	var a task.Addr
	var reason string
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			a = task.Addr(m.n)
		case 2:
			reason = m.string()
		}
	}
	if len(s.memory.faults) < maxFaults {
		s.memory.faults[a] = reason
	}
	s.memory.forget(a)
	s.learnt = true
	return m.err
}

// maxThreads is the maximum number of threads in a snapshot.
const maxThreads = 1 << 17

func (s *state) setThread(data []byte) error {
	m := newMessage(data)
	if !m.next() || m.field != 1 {
		return errWire
	}
	id := task.ThreadID(m.n)
	before := s.threads[id]
	if before == nil {
		if len(s.threads) >= 2*maxThreads {
			return errTooBig
		}
		before = &thread{Thread: task.Thread{ID: id}}
	}
	t, err := before.change(m.rest)
	if err != nil {
		return err
	}
	s.stackBytes += stackBytes(t) - stackBytes(before)
	s.threads[id] = t
	s.line.change(t)
	s.waiting = s.waiting || t.wait.Call != ""
	if s.stackBytes > maxHeld {
		return errTooBig
	}
	return s.charge(stepsThread + stackBytes(t)/copiedPerStep)
}

func stackBytes(t *thread) (n int) {
	for i := range t.Stacks {
		n += len(t.Stacks[i].Bytes)
	}
	return n + managedBytes(t)
}
