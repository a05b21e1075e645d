package stackshot

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"stacksnap/task/regular"
	"stacksnap/task/stackshot/kcdata"
)

// ErrNotStackshot means that a file is not a stackshot.
var ErrNotStackshot = errors.New("not a stackshot")

// Limits for one file. Each of its stackshots may have the same number again of tasks and
// threads that are only listed or have only changes. A busy system has some thousand of both.
const (
	maxTasks   = 1 << 16
	maxThreads = 1 << 18
	maxShots   = 1 << 16
	maxFrames  = 10_000 // of a thread, in the kernel and in its program each; XNU unwinds 1000
	maxCaches  = 1 << 8 // of a stackshot; a system has one for each kind of programs
)

// errTooMany means that there are more than [maxShots].
var errTooMany = fmt.Errorf("there are more than %d in the file", maxShots)

// Open reads the stackshots in a file, which may be compressed: one, or one followed
// by deltas. The error wraps [ErrNotStackshot] for any other file. If the file is cut
// off, it returns what there is, with [Shot.Cut] set in the last.
func Open(name string) ([]*Shot, error) {
	f, _, err := regular.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read-only
	return Read(f)
}

// Is reports whether a file starts like a stackshot, or like what a kernel saves of a
// crash.
func Is(name string) bool {
	f, _, err := regular.Open(name)
	if err != nil {
		return false
	}
	defer f.Close() // read-only
	return kcdata.Is(f)
}

// Read is Open for a stream.
func Read(from io.Reader) ([]*Shot, error) {
	data, err := kcdata.ReadAll(from)
	if errors.Is(err, kcdata.ErrNotKcdata) {
		return nil, errors.Join(ErrNotStackshot, err)
	}
	if len(data) == 0 && err != nil {
		return nil, err
	}
	return parse(data, err)
}

// parse reads the stackshots; cut is why the data may end early.
func parse(data []byte, cut error) ([]*Shot, error) { return parseAt(data, cut, 0) }

// parseAt is parse for data nested in depth other buffers.
func parseAt(data []byte, cut error, depth int) ([]*Shot, error) {
	r := &reader{Reader: kcdata.NewReader(data)}
	var shots []*Shot
	var others uint32
	var crash *Crash
	for kind, ok := r.Buffer(); ok; kind, ok = r.Buffer() {
		if len(shots) == maxShots {
			cut = errors.Join(cut, errTooMany)
			break
		}
		switch kind {
		case kcdata.Stackshot, kcdata.DeltaStackshot:
			r.shot = &Shot{Delta: kind == kcdata.DeltaStackshot}
			r.readShot()
			shots = append(shots, r.shot)
		case kcdata.CrashInfo:
			crash = new(Crash)
			crash.read(r.Reader, depth)
			shots = append(shots, crash.shots()...)
		default:
			others = kind
		}
	}
	switch {
	case len(shots) > 0:
	case crash != nil:
		return nil, &CrashError{crash}
	default:
		return nil, r.nothing(others)
	}
	if err := errors.Join(cut, r.Err()); err != nil {
		shots[len(shots)-1].Cut = err
	}
	return shots, nil
}

// nothing returns why there is no stackshot.
func (r *reader) nothing(other uint32) error {
	if other != 0 {
		return fmt.Errorf("%w, but kcdata of another kind (%#x)", ErrNotStackshot, other)
	}
	return errors.Join(ErrNotStackshot, r.Err())
}

// reader reads stackshots in order.
type reader struct {
	*kcdata.Reader
	shot           *Shot
	tasks, threads int // read so far
	listed         int // threads of the stackshot that are only listed
}

// take passes an item to the function for its type.
func take[T any](r *reader, known map[uint32]func(*T, *kcdata.Item) bool, to *T, it *kcdata.Item) {
	t := it.Type
	if it.IsArray() {
		t = uint32(it.Flags >> 32)
	}
	add, ok := known[t]
	switch {
	case !ok:
		r.shot.Unknown++
	case !add(to, it):
		r.shot.Bad++
	}
}

// readShot reads the items of a buffer.
func (r *reader) readShot() {
	r.listed = 0
	for it, ok := r.Next(); ok; it, ok = r.Next() {
		switch it.Type {
		case kcdata.ContainerBegin:
			r.container(&it)
		case kcdata.ContainerEnd:
			r.shot.Bad++
		default:
			take(r, shotItems, r.shot, &it)
		}
	}
	r.shot.StillTasks = upTo(r, maxTasks, r.shot.StillTasks)
}

// container reads a top-level container.
func (r *reader) container(it *kcdata.Item) {
	sort, id, err := it.Container()
	s := r.shot
	switch {
	case err != nil:
		s.Bad++
		r.Skip()
	case sort == sortTask || sort == sortEndingTask:
		r.task(sort, id)
	case sort == sortSharedCache:
		c := Cache{ID: id}
		inside(r, cacheItems, &c, id)
		if len(s.Caches) == maxCaches {
			s.Bad++
			return
		}
		s.Caches = append(s.Caches, c)
	case sort == sortPortLabel:
		l := Label{ID: id}
		inside(r, labelItems, &l, id)
		s.PortLabels = append(s.PortLabels, l)
	default:
		s.Unknown++
		r.Skip()
	}
}

// inside reads the items of a container up to its end. It skips containers in it.
func inside[T any](r *reader, known map[uint32]func(*T, *kcdata.Item) bool, to *T, id uint64) {
	for it, ok := r.Next(); ok; it, ok = r.Next() {
		switch it.Type {
		case kcdata.ContainerBegin:
			r.shot.Unknown++
			r.Skip()
		case kcdata.ContainerEnd:
			r.ends(&it, id)
			return
		default:
			take(r, known, to, &it)
		}
	}
}

// ends checks the end of a container.
func (r *reader) ends(it *kcdata.Item, id uint64) {
	if it.Flags != id {
		r.shot.Bad++
	}
}

func (r *reader) task(sort uint32, id uint64) {
	t := Task{ID: id}
	r.readTask(&t)
	t.Deltas = upTo(r, maxThreads-r.listed, t.Deltas)
	r.listed += len(t.Deltas)
	t.StillThreads = upTo(r, maxThreads-r.listed, t.StillThreads)
	r.listed += len(t.StillThreads)
	if r.tasks++; r.tasks > maxTasks {
		r.shot.Bad++
		return
	}
	if sort == sortEndingTask {
		r.shot.Ending = append(r.shot.Ending, t)
	} else {
		r.shot.Tasks = append(r.shot.Tasks, t)
	}
}

// upTo returns at most most elements of a list.
func upTo[T any](r *reader, most int, list []T) []T {
	if len(list) <= most {
		return list
	}
	r.shot.Bad++
	return slices.Clone(list[:most])
}

// readTask reads a task up to its end, with its threads.
func (r *reader) readTask(t *Task) {
	for it, ok := r.Next(); ok; it, ok = r.Next() {
		switch it.Type {
		case kcdata.ContainerBegin:
			r.thread(t, &it)
		case kcdata.ContainerEnd:
			r.ends(&it, t.ID)
			return
		default:
			take(r, taskItems, t, &it)
		}
	}
}

func (r *reader) thread(t *Task, it *kcdata.Item) {
	sort, id, err := it.Container()
	if err != nil || sort != sortThread {
		r.shot.Unknown++
		r.Skip()
		return
	}
	th := Thread{ID: id}
	inside(r, threadItems, &th, id)
	if r.threads++; r.threads > maxThreads {
		r.shot.Bad++
		return
	}
	t.Threads = append(t.Threads, th)
}
