package cpython

import (
	"fmt"
	"path"
	"strings"

	"stacksnap/task"
)

// ready is the wait of a task that waits only to be run.
const ready = "ready"

const maxChildren = 1 << 20 // of one gather

// waitOf returns what the innermost coroutine of a chain waits for, a function of asyncio or
// the future that it awaits, and the tasks whose end it awaits.
func (r *taskReader) waitOf(c *coroutineChain) (wait string, awaits []task.Addr, err error) {
	future, awaits, err := r.futureOf(c.waiter)
	if err != nil {
		return "", nil, err
	}
	if name := c.library(); name != "" && len(awaits) == 0 {
		return name, nil, nil
	}
	switch {
	case future != "":
		return future, awaits, nil
	case c.other != "" && c.other != "NoneType":
		return c.other, nil, nil
	}
	return ready, nil, nil
}

// futureOf names a future, and returns the tasks whose end it is.
func (r *taskReader) futureOf(at task.Addr) (string, []task.Addr, error) {
	if at == 0 {
		return "", nil, nil
	}
	t, err := r.typeOf(at)
	switch {
	case err != nil:
		return "", nil, err
	case t.isTask:
		name, err := r.taskTitle(at)
		return name, []task.Addr{at}, err
	case t.isGather:
		return r.gather(at)
	}
	return lastName(t.name), nil, nil
}

// taskTitle returns the name of a task and of its function: "Task-7 (fetch)".
func (r *taskReader) taskTitle(at task.Addr) (string, error) {
	name, err := r.name(at)
	if err != nil {
		return "", err
	}
	coro, err := r.pointer(at + task.Addr(r.offsets.coro))
	if err != nil || !r.isBuiltin(coro, "coroutine") {
		return name, err
	}
	function, err := r.qualname(coro)
	return fmt.Sprintf("%s (%s)", name, function), err
}

// gather names what asyncio.gather returned, and returns the tasks among its futures.
func (r *taskReader) gather(at task.Addr) (string, []task.Addr, error) {
	children, err := r.attribute(at, "_children")
	if err != nil {
		return "", nil, err
	}
	list, err := r.list(children, maxChildren)
	if err != nil {
		return "", nil, err
	}
	var tasks []task.Addr
	for _, child := range list {
		if t, err := r.typeOf(child); err == nil && t.isTask {
			tasks = append(tasks, child)
		}
	}
	return fmt.Sprintf("gather of %d", len(list)), tasks, nil
}

// library returns the function of asyncio that the innermost coroutine of another package is
// in: "asyncio.Lock", "asyncio.Queue.get"; empty if there is none.
func (c *coroutineChain) library() (name string) {
	for i := len(c.frames) - 1; i >= 0; i-- {
		file := strings.ReplaceAll(c.frames[i].File, `\`, "/")
		if path.Base(path.Dir(file)) != "asyncio" {
			break
		}
		if function, public := publicName(c.names[i], path.Base(file)); public || name == "" {
			name = "asyncio." + function
		}
	}
	return name
}

// publicName returns the name under which users know a function of asyncio: locks, groups and
// timeouts by their class. It reports whether it is one that they call.
func publicName(qualname, file string) (name string, public bool) {
	class, method, ok := strings.Cut(qualname, ".")
	switch {
	case strings.HasPrefix(class, "_"), qualname == "wait_for": // what it awaits says more
		return qualname, false
	case ok && (file == "locks.py" || strings.HasPrefix(method, "__")):
		return class, true
	case strings.HasPrefix(method, "_"):
		return qualname, false
	}
	return qualname, true
}
