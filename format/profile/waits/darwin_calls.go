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
	"accept": {idleness: parked, shape: descriptor}, "connect": {shape: descriptor}, "connectx": {shape: descriptor},
	"fsync": {shape: descriptor}, "fdatasync": {shape: descriptor}, "close": {shape: descriptor}, "ioctl": {shape: descriptor},
	"fstat64": {shape: descriptor}, "ftruncate": {shape: descriptor}, "getdirentries64": {shape: descriptor},
	"sendfile": {shape: descriptor},
	"flock":    {shape: fileLock}, "fcntl": {shape: fdControl}, "wait4": {shape: child}, "waitid": {shape: childID},
	"vfork":  {shape: vfork},
	"select": {idleness: polling, shape: selectSets}, "pselect": {idleness: polling, shape: selectSets}, "poll": {idleness: polling, shape: pollSet},
	"kevent": {idleness: idle, shape: descriptor}, "kevent64": {idleness: idle, shape: descriptor},
	"kevent_qos": {idleness: idle, shape: descriptor}, "kevent_id": {shape: workloop},
	"workq_kernreturn": {idleness: idle}, "sigsuspend": {idleness: idle}, "__sigwait": {idleness: polling},
	"sem_wait":         {shape: wordOnly},
	"__semwait_signal": {idleness: parked, shape: semaphoreSleep}, "mach_wait_until": {idleness: parked, shape: waitUntil},
	"psynch_rw_upgrade": {shape: psynchRW}, "psynch_rw_rdlock": {shape: psynchRW}, "psynch_rw_wrlock": {shape: psynchRW},
	"psynch_rw_longrdlock": {shape: psynchRW}, "psynch_rw_yieldwrlock": {shape: psynchRW},
	"psynch_mutexwait": {shape: psynchMutex}, "psynch_cvwait": {idleness: parked, shape: psynchCond},
	"ulock_wait": {idleness: parked, shape: ulock}, "ulock_wait2": {idleness: parked, shape: ulock},
	"mach_msg": {idleness: idle, shape: machMessage}, "mach_msg_overwrite": {idleness: idle, shape: machMessage},
	"mach_msg2":      {idleness: idle, shape: machMessage2},
	"semaphore_wait": {idleness: parked, shape: machSemaphore}, "semaphore_wait_signal": {idleness: parked, shape: machSemaphore},
	"semaphore_timedwait": {idleness: parked, shape: machSemaphore}, "semaphore_timedwait_signal": {idleness: parked, shape: machSemaphore},
}
