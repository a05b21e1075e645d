package waits

import (
	"stacksnap/format/profile"
	"stacksnap/task"
)

// shape is the meaning of a call's arguments. Each shape has a row in [shapes].
type shape uint8

const (
	plain          shape = iota // arguments unknown
	descriptor                  // a file descriptor first
	input                       // a file descriptor first; a write to the other end ends the call
	output                      // a file descriptor first; a read from the other end ends the call
	openedPath                  // open: path, flags
	openedAt                    // openat: the descriptor of a directory, path, flags
	epoll                       // the descriptor of an epoll instance
	fileLock                    // the descriptor of the file to lock
	fdControl                   // fcntl: descriptor, command
	pollSet                     // array of struct pollfd, its length
	selectSets                  // select: number of descriptors, three sets
	child                       // wait4: a pid
	childID                     // waitid: idtype, id
	futex                       // word, operation, expected value
	wordOnly                    // the address of a word first
	vfork                       // none
	clone                       // flags
	clone3                      // struct clone_args
	psynchMutex                 // a pthread_mutex_t first
	psynchRW                    // a pthread_rwlock_t first
	psynchCond                  // a pthread_cond_t first
	ulock                       // operation, word, value
	workloop                    // kevent_id: the workloop, a dispatch queue
	machMessage                 // mach_msg: message, options, two more, the port to receive from
	machMessage2                // mach_msg2: message, options, then fields in pairs
	machSemaphore               // the name of a Mach semaphore first
	semaphoreSleep              // __semwait_signal: two semaphores, two flags (timed, relative), the time
	waitUntil                   // mach_wait_until: an absolute time
	numShapes
)

// shapeRow is how to treat calls of one shape.
type shapeRow struct {
	// object describes the object of the call; nil: details does, or it is unknown.
	object func(*Finder, *call) string
	// details sets a lock and its owner, or adds a query for another process; may be nil.
	details func(*Finder, *profile.Wait, *call, *task.Thread)
	// forLock reports whether a call with these arguments waits for a lock; nil: it does not.
	forLock func(args [6]uint64) bool

	onDescriptor bool // the first argument is a file descriptor; details read nothing else
	askedBack    bool // details can be read only when the thread is back in the call after the stop
	isMessage    bool // mach_msg: idle only if it neither sends nor waits for a reply
	forks        bool // makes a thread or process; the function of that name is the outermost of most threads
}

// shapes is the table of shapes. A new shape needs only its row here. Whether a call is
// idle is in the rows of linuxCalls and darwinCalls.
var shapes = [numShapes]shapeRow{
	plain:          {},
	descriptor:     {object: fileOf, onDescriptor: true},
	input:          {object: fileOf, details: queryEnd(profile.Write), onDescriptor: true},
	output:         {object: fileOf, details: queryEnd(profile.Read), onDescriptor: true},
	openedPath:     {details: openOf(0), askedBack: true},
	openedAt:       {details: openOf(1), askedBack: true},
	epoll:          {object: (*Finder).epoll},
	fileLock:       {object: fileOf, details: (*Finder).fileLock, forLock: always, askedBack: true},
	fdControl:      {object: fileOf, details: (*Finder).fdControl, askedBack: true},
	pollSet:        {object: (*Finder).pollSet, details: (*Finder).queryPoll},
	selectSets:     {object: (*Finder).selectSets},
	child:          {object: childOf, details: (*Finder).queryChild},
	childID:        {object: childOf, details: (*Finder).queryChild},
	futex:          {details: (*Finder).futex, forLock: futexLocks, askedBack: true},
	wordOnly:       {object: wordOf},
	vfork:          {object: (*Finder).vforked, forks: true},
	clone:          {object: (*Finder).vforked, forks: true},
	clone3:         {object: (*Finder).vforked, forks: true},
	psynchMutex:    {details: (*Finder).psynch, forLock: always},
	psynchRW:       {details: (*Finder).psynch, forLock: always},
	psynchCond:     {details: (*Finder).psynch},
	ulock:          {details: (*Finder).ulock, forLock: ulockIsOwned},
	workloop:       {details: (*Finder).workloop, forLock: always},
	machMessage:    {details: (*Finder).machMessage, isMessage: true},
	machMessage2:   {details: (*Finder).machMessage, isMessage: true},
	machSemaphore:  {object: (*Finder).semaphore},
	semaphoreSleep: {object: sleep},
	waitUntil:      {object: func(*Finder, *call) string { return "a time to come" }},
}

func always([6]uint64) bool { return true }

func fileOf(f *Finder, c *call) string { return f.file(c.Args[0]) }

func wordOf(_ *Finder, c *call) string { return task.Addr(c.Args[0]).String() }

// describe sets the object and details of a call.
func (f *Finder) describe(w *profile.Wait, c *call, t *task.Thread) {
	row := &shapes[c.shape]
	if row.object != nil {
		w.Object = row.object(f, c)
	}
	if row.details != nil {
		row.details(f, w, c, t)
	}
}
