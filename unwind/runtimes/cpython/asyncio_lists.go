package cpython

import "stacksnap/task"

// addresses returns the tasks of all interpreters, wherever they are kept; some may be done. After
// more than maxTasks it does not search on.
// Up to 3.13 a WeakSet of asyncio.tasks has them, _all_tasks, from 3.12 on
// _scheduled_tasks, and _eager_tasks those that have not been suspended yet. Later
// versions keep those of the class that is written in C in a list for each thread; those
// of threads that have ended move to a list of the interpreter.
func (r *taskReader) addresses() (all []task.Addr, err error) {
	if r.p.layout.asyncio.hasLists {
		if all, err = r.fromLists(); err != nil {
			return nil, err
		}
	}
	err = r.p.eachInterpreter(r.m, func(interp task.Addr) error {
		if len(all) > maxTasks {
			return nil
		}
		some, err := r.fromSets(interp)
		all = append(all, some...)
		return err
	})
	return all, err
}

// fromSets returns the tasks in the sets of asyncio.tasks, none if it is not imported.
func (r *taskReader) fromSets(interp task.Addr) ([]task.Addr, error) {
	names, err := r.module(interp, "asyncio.tasks")
	if err != nil || names == 0 {
		return nil, err
	}
	weak := "_scheduled_tasks"
	if r.p.minor() < 12 {
		weak = "_all_tasks"
	}
	all, err := r.weakSet(names, weak)
	if err != nil || r.p.minor() < 12 {
		return all, err
	}
	eager, err := r.lookUp(names, "_eager_tasks")
	if err != nil || eager == 0 {
		return all, err
	}
	some, err := r.set(eager)
	for _, at := range some {
		if r.isItem(at) {
			all = append(all, at)
		}
	}
	return all, err
}

// weakSet returns the tasks in a WeakSet that a module has by a name.
func (r *taskReader) weakSet(names task.Addr, name string) ([]task.Addr, error) {
	set, err := r.lookUp(names, name)
	if err != nil || set == 0 {
		return nil, err
	}
	data, err := r.attribute(set, "data")
	if err != nil || data == 0 {
		return nil, err
	}
	references, err := r.set(data)
	if err != nil {
		return nil, err
	}
	var all []task.Addr
	for _, ref := range references {
		t, err := r.typeOf(ref)
		if err != nil || t.flags&heapType != 0 || t.name != "weakref" && lastName(t.name) != "ReferenceType" {
			continue
		}
		if at, err := r.pointer(ref + itemOfWrapper); err == nil && r.isItem(at) {
			all = append(all, at)
		}
	}
	return all, nil
}

// isItem reports whether an object is neither None, as of a dead weak reference, nor what a
// set keeps in place of a removed item.
func (r *taskReader) isItem(at task.Addr) bool {
	if at == 0 {
		return false
	}
	t, err := r.typeOf(at)
	return err == nil && t.name != "NoneType" && t.name != "<dummy key> type"
}

// fromLists returns the tasks in the lists of threads and interpreters.
func (r *taskReader) fromLists() (all []task.Addr, err error) {
	var heads []task.Addr
	err = r.p.eachThread(r.m, func(s threadState, _ task.Addr) {
		heads = append(heads, s.at+task.Addr(r.offsets.thread))
	})
	if err != nil {
		return nil, err
	}
	err = r.p.eachInterpreter(r.m, func(interp task.Addr) error {
		heads = append(heads, interp+task.Addr(r.offsets.interp))
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, head := range heads {
		if all, err = r.fromList(all, head); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// fromList appends the tasks of a circular list, whose head is no task.
func (r *taskReader) fromList(all []task.Addr, head task.Addr) ([]task.Addr, error) {
	next := task.Addr(r.p.layout.asyncio.next)
	at, err := r.pointer(head + next)
	for err == nil && at != head && at != 0 && len(all) <= maxTasks {
		all = append(all, at-task.Addr(r.offsets.node))
		at, err = r.pointer(at + next)
	}
	return all, err
}
