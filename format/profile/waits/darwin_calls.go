package waits

// Of the options of mach_msg (osfmk/mach/message.h).
const (
	sendMessage    = 0x1    // MACH_SEND_MSG
	receiveMessage = 0x2    // MACH_RCV_MSG
	syncWait       = 0x4000 // MACH_RCV_SYNC_WAIT: for the reply to a message that was sent before
)

// darwinCall finds a call by its number: of BSD calls as bsd/kern/syscalls.master
// counts, of Mach traps the negative of that in osfmk/kern/syscall_sw.c.
func darwinCall(number int) (Call, bool) {
	var name string
	switch {
	case number >= 0 && number < len(bsdNames):
		name = bsdNames[number]
	case number < 0 && -number < len(trapNames):
		name = trapNames[-number]
	}
	if name == "" {
		return Call{}, false
	}
	c := darwinCalls[name]
	c.Name = name
	return c, true
}

// darwinCalls are the calls of Darwin of which more is known than their name.
var darwinCalls = map[string]Call{
	"read": {shape: descriptor}, "write": {shape: descriptor}, "readv": {shape: descriptor}, "writev": {shape: descriptor},
	"pread": {shape: descriptor}, "pwrite": {shape: descriptor}, "preadv": {shape: descriptor}, "pwritev": {shape: descriptor},
	"recvmsg": {shape: descriptor}, "sendmsg": {shape: descriptor}, "recvfrom": {shape: descriptor},
	"sendto": {shape: descriptor}, "recvmsg_x": {shape: descriptor}, "sendmsg_x": {shape: descriptor},
	"accept": {shape: descriptor}, "connect": {shape: descriptor}, "connectx": {shape: descriptor},
	"fsync": {shape: descriptor}, "fdatasync": {shape: descriptor}, "close": {shape: descriptor}, "ioctl": {shape: descriptor},
	"fstat64": {shape: descriptor}, "ftruncate": {shape: descriptor}, "getdirentries64": {shape: descriptor},
	"sendfile": {shape: descriptor},
	"flock":    {shape: fileLock}, "fcntl": {shape: fdControl}, "wait4": {shape: child}, "waitid": {shape: childID},
	"vfork":  {shape: vfork},
	"select": {Loop: true, shape: selectSets}, "pselect": {Loop: true, shape: selectSets}, "poll": {Loop: true, shape: pollSet},
	"kevent": {Loop: true, shape: descriptor}, "kevent64": {Loop: true, shape: descriptor},
	"kevent_qos": {Loop: true, shape: descriptor}, "kevent_id": {shape: workloop},
	"workq_kernreturn": {Loop: true}, "sigsuspend": {Loop: true}, "__sigwait": {Loop: true},
	"sem_wait":         {shape: wordOnly},
	"__semwait_signal": {shape: semaphoreSleep}, "mach_wait_until": {shape: waitUntil},
	"psynch_rw_upgrade": {shape: psynchRW}, "psynch_rw_rdlock": {shape: psynchRW}, "psynch_rw_wrlock": {shape: psynchRW},
	"psynch_rw_longrdlock": {shape: psynchRW}, "psynch_rw_yieldwrlock": {shape: psynchRW},
	"psynch_mutexwait": {shape: psynchMutex}, "psynch_cvwait": {shape: psynchCond},
	"ulock_wait": {shape: ulock}, "ulock_wait2": {shape: ulock},
	"mach_msg": {Loop: true, shape: machMessage}, "mach_msg_overwrite": {Loop: true, shape: machMessage},
	"mach_msg2":      {Loop: true, shape: machMessage2},
	"semaphore_wait": {shape: machSemaphore}, "semaphore_wait_signal": {shape: machSemaphore},
	"semaphore_timedwait": {shape: machSemaphore}, "semaphore_timedwait_signal": {shape: machSemaphore},
}
