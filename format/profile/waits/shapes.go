package waits

import (
	"stacksnap/format/profile"
	"stacksnap/task"
)

// shape is what the arguments of a call mean. Each has a row of [shapes].
type shape uint8

const (
	plain          shape = iota // nothing is known of the arguments
	descriptor                  // the first is a file descriptor
	input                       // likewise, and a write to the other end returns from the call
	output                      // likewise, and a read from the other end does
	openedPath                  // open: path, flags
	openedAt                    // openat: the descriptor of a directory, path, flags
	epoll                       // the descriptor of an epoll instance
	fileLock                    // the descriptor of the file to lock
	fdControl                   // fcntl: descriptor, command
	pollSet                     // array of struct pollfd, its length
	selectSets                  // select: how many descriptors, three sets
	child                       // wait4: a pid
	childID                     // waitid: idtype, id
	futex                       // word, operation, expected value
	wordOnly                    // the first is the address of a word
	vfork                       // none
	clone                       // flags
	clone3                      // struct clone_args
	psynchMutex                 // the first is a pthread_mutex_t
	psynchRW                    // the first is a pthread_rwlock_t
	psynchCond                  // the first is a pthread_cond_t
	ulock                       // operation, word, value
	workloop                    // kevent_id: the workloop, which is a dispatch queue
	machMessage                 // mach_msg: message, options, …, the port to receive from the fifth
	machMessage2                // mach_msg2: message, options, then fields in pairs
	machSemaphore               // the first is the name of a Mach semaphore
	semaphoreSleep              // __semwait_signal: two semaphores, whether there is a time and it is relative, the time
	waitUntil                   // mach_wait_until: an absolute time
	numShapes
)

// shapeRow says what is done with the calls of one shape.
type shapeRow struct {
	// object names what the call is about; nil: details does, or nothing is known.
	object func(*Finder, *call) string
	// details finds a lock and its owner, or who in another process ends the wait; may be nil.
	details func(*Finder, *profile.Wait, *call, *task.Thread)
	// forLock reports by the arguments whether the call waits for a lock; nil: it does not.
	forLock func(args [6]uint64) bool

	onDescriptor bool // the first argument is a file descriptor and nothing else is asked of it
	askedBack    bool // details are read only when the thread is back in the call after the stop
	isMessage    bool // mach_msg: idle only where it neither sends nor waits for a reply
	forks        bool // makes a thread or a process: the function of its name is the outermost of most threads
}

// shapes is the one table of what is known of a call by its arguments: what a new shape needs is
// its row here. What is idle is in the rows of linuxCalls and darwinCalls.
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

// describe says what a call is about.
func (f *Finder) describe(w *profile.Wait, c *call, t *task.Thread) {
	row := &shapes[c.shape]
	if row.object != nil {
		w.Object = row.object(f, c)
	}
	if row.details != nil {
		row.details(f, w, c, t)
	}
}
