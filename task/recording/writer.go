package recording

import (
	"fmt"
	"io"

	"stacksnap/task"
)

// Writer writes a recording. Everything added is in the file no later than the next
// snapshot. After an error nothing more is written, and every method returns that
// error; the snapshots before it are complete. It is not safe for concurrent use.
type Writer struct {
	out   *blockWriter
	block []byte
	err   error

	images    int
	snapshots int // started
	whole     int // completely written
	clock     clock
	tally     tally
	ids       []task.ThreadID // of the last snapshot
	threads   map[task.ThreadID]*thread
	spare     []*thread
	scratch   []byte
}

// NewWriter starts a recording.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	out, err := newBlockWriter(w)
	if err != nil {
		return nil, fmt.Errorf("write recording: %w", err)
	}
	wr := &Writer{out: out, threads: map[task.ThreadID]*thread{}}
	at := wr.begin(1)
	wr.block = appendHeader(wr.block, &h)
	wr.end(at)
	return wr, wr.flush()
}

// begin opens a record of a kind.
func (w *Writer) begin(kind int) (at [2]int) {
	w.block, at[0] = begin(w.block, 1)
	w.block, at[1] = begin(w.block, kind)
	return at
}

// end closes the record, and writes the block if it is large enough.
func (w *Writer) end(at [2]int) {
	w.block = end(w.block, at[1])
	w.block = end(w.block, at[0])
	if len(w.block) >= blockSize {
		w.writeBlock()
	}
}

func (w *Writer) writeBlock() {
	if w.err == nil && len(w.block) > 0 {
		w.fail(w.out.write(w.block))
	}
	w.block = w.block[:0]
}

func (w *Writer) flush() error {
	w.writeBlock()
	if w.err == nil {
		w.fail(w.out.flush())
	}
	return w.err
}

func (w *Writer) fail(err error) {
	switch {
	case w.err != nil || err == nil:
	case w.whole == 0:
		w.err = fmt.Errorf("write recording: %w (nothing was saved)", err)
	default:
		w.err = fmt.Errorf("write recording: %w (the %d snapshots before can be read)", err, w.whole)
	}
}

// AddImage adds an image and returns its number.
func (w *Writer) AddImage(im *Image) int {
	at := w.begin(2)
	w.block = im.Append(w.block)
	w.end(at)
	w.images++
	return w.images - 1
}

// SetMap sets what is mapped from the next snapshot on.
func (w *Writer) SetMap(m *Map) {
	at := w.begin(3)
	w.block = appendMap(w.block, m)
	w.end(at)
}

// AddSymbol adds a file's answer to the look-up of a symbol.
func (w *Writer) AddSymbol(a *Answer) { w.addAnswer(4, a) }

// AddStart adds a file's answer to the look-up of a function's start.
func (w *Writer) AddStart(a *Answer) { w.addAnswer(5, a) }

// AddData adds a file's answer to the look-up of the first data that ends above a
// vmaddr.
func (w *Writer) AddData(a *Answer) { w.addAnswer(15, a) }

// AddThumb adds a file's answer whether a function is Thumb code.
func (w *Writer) AddThumb(a *Answer) { w.addAnswer(16, a) }

func (w *Writer) addAnswer(kind int, a *Answer) {
	at := w.begin(kind)
	w.block = appendAnswer(w.block, a)
	w.end(at)
}

// AddSource adds a file's answer to the look-up of a source line.
func (w *Writer) AddSource(s *Source) {
	if len(s.Places) > maxPlaces {
		return
	}
	at := w.begin(14)
	w.block = appendSource(w.block, s)
	w.end(at)
}

// AddSection adds a part of a section, or the error with which the section could not be
// read.
func (w *Writer) AddSection(s *Section) {
	for part := *s; ; {
		rest := part.Data[min(len(part.Data), blockSize):]
		part.Data = part.Data[:len(part.Data)-len(rest)]
		at := w.begin(6)
		w.block = appendSection(w.block, &part)
		w.end(at)
		if len(rest) == 0 {
			return
		}
		part.Offset, part.Data, part.Restart = part.Offset+len(part.Data), rest, false
	}
}

// AddReads writes the memory that r has recorded since the last AddReads.
func (w *Writer) AddReads(r *Reads) { r.flush(w) }

func (w *Writer) memory(a task.Addr, data []byte) {
	at := w.begin(7)
	w.block = appendUintIf(w.block, 1, uint64(a))
	w.block = appendBytes(w.block, 2, data)
	w.end(at)
}

func (w *Writer) fault(a task.Addr, reason string) {
	at := w.begin(8)
	w.block = appendUintIf(w.block, 1, uint64(a))
	w.block = appendBytesIf(w.block, 2, reason)
	w.end(at)
}

// AddSnapshot writes a snapshot, and flushes everything to the underlying writer. It
// keeps nothing of s.
func (w *Writer) AddSnapshot(s *Sample) error {
	if w.err != nil {
		return w.err
	}
	w.snapshots++
	for i := range s.Threads {
		w.addThread(&s.Threads[i])
	}
	w.forgetThreads(len(s.Threads))
	for i := range s.Looks {
		w.addLook(&s.Looks[i])
	}
	at := w.begin(10)
	w.block = w.appendSnapshot(w.block, s)
	w.end(at)
	if err := w.flush(); err != nil {
		return err
	}
	w.whole++
	return nil
}

// addThread writes the changes of a thread, if there are any.
func (w *Writer) addThread(t *task.Thread) {
	own, known := w.threads[t.ID]
	if !known {
		own = w.newThread()
		w.threads[t.ID] = own
	}
	now := thread{Thread: facts(t), err: errorText(t.Err), look: own.look, seen: w.snapshots}
	start := len(w.block)
	at := w.begin(9)
	w.block = appendUint(w.block, 1, uint64(t.ID))
	unchanged := len(w.block)
	w.block, w.scratch = own.appendChanges(w.block, &now, w.scratch)
	if known && len(w.block) == unchanged {
		w.block = w.block[:start]
		own.seen = w.snapshots
		return
	}
	now.Stacks = keepStacks(own.Stacks, t.Stacks)
	now.Managed = append(own.Managed[:0], t.Managed...)
	*own = now
	w.end(at)
}

// facts copies a thread without the buffers that belong to its snapshot.
func facts(t *task.Thread) task.Thread {
	return task.Thread{
		ID: t.ID, Name: t.Name, RuntimeName: t.RuntimeName, Queue: t.Queue, QueueSerial: t.QueueSerial, State: t.State, User: t.User, System: t.System,
		SuspendCount: t.SuspendCount, Registers: t.Registers, Stacks: t.Stacks, Same: t.Same, Unstopped: t.Unstopped, Sure: t.Sure, Kernel: t.Kernel, Managed: t.Managed, Later: t.Later, Goroutine: t.Goroutine,
		Priority: t.Priority, QoS: t.QoS, OnCPUState: t.OnCPUState, Processor: t.Processor, Schedule: t.Schedule, Lifetime: t.Lifetime, NotRun: t.NotRun,
	}
}

func (w *Writer) newThread() *thread {
	if n := len(w.spare); n > 0 {
		t := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return t
	}
	return new(thread)
}

// maxSpare is how many ended threads are kept for their buffers.
const maxSpare = 256

// forgetThreads drops the threads that are not among the n threads of the snapshot.
func (w *Writer) forgetThreads(n int) {
	if len(w.threads) == n {
		return
	}
	for id, t := range w.threads {
		if t.seen == w.snapshots {
			continue
		}
		delete(w.threads, id)
		if len(w.spare) < maxSpare {
			*t = thread{Thread: task.Thread{Stacks: t.Stacks[:0]}}
			w.spare = append(w.spare, t)
		}
	}
}

// Close ends the recording properly. It does not close the underlying writer.
func (w *Writer) Close(e End) error {
	w.addTasks(&e)
	at := w.begin(11)
	w.block = appendEnd(w.block, &e)
	w.end(at)
	w.writeBlock()
	if w.err == nil {
		w.fail(w.out.close())
	}
	return w.err
}
