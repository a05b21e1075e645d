package waits

import "sync"

// The options of mach_msg (osfmk/mach/message.h).
const (
	sendMessage    = 0x1    // MACH_SEND_MSG
	receiveMessage = 0x2    // MACH_RCV_MSG
	syncWait       = 0x4000 // MACH_RCV_SYNC_WAIT: for the reply to a message that was sent before
)

// darwinCall returns the row of a call by its number: that of bsd/kern/syscalls.master for
// BSD calls, and the negative index in osfmk/kern/syscall_sw.c for Mach traps.
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
	return Call{name, darwinCalls()[name]}, true
}

// darwinCalls are the calls of Darwin that more than the name is known of.
var darwinCalls = sync.OnceValue(func() map[string]callRow {
	return map[string]callRow{
		"read": {busy, input}, "write": {busy, output}, "readv": {busy, input}, "writev": {busy, output},
		"pread": {busy, descriptor}, "pwrite": {busy, descriptor}, "preadv": {busy, descriptor}, "pwritev": {busy, descriptor},
		"recvmsg": {busy, input}, "sendmsg": {busy, output}, "recvfrom": {busy, input},
		"sendto": {busy, output}, "recvmsg_x": {busy, descriptor}, "sendmsg_x": {busy, descriptor},
		"accept": {parked, descriptor}, "connect": {busy, descriptor}, "connectx": {busy, descriptor},
		"fsync": {busy, descriptor}, "fdatasync": {busy, descriptor}, "close": {busy, descriptor}, "ioctl": {busy, descriptor},
		"fstat64": {busy, descriptor}, "ftruncate": {busy, descriptor}, "getdirentries64": {busy, descriptor},
		"sendfile": {busy, descriptor},
		"flock":    {busy, fileLock}, "fcntl": {busy, fdControl}, "wait4": {busy, child}, "waitid": {busy, childID},
		"vfork":  {busy, vfork},
		"select": {polling, selectSets}, "pselect": {polling, selectSets}, "poll": {polling, pollSet},
		"kevent": {idle, descriptor}, "kevent64": {idle, descriptor},
		"kevent_qos": {idle, descriptor}, "kevent_id": {busy, workloop},
		"workq_kernreturn": {idle, plain}, "sigsuspend": {idle, plain}, "__sigwait": {polling, plain},
		"sem_wait":         {busy, wordOnly},
		"__semwait_signal": {parked, semaphoreSleep}, "mach_wait_until": {parked, waitUntil},
		"psynch_rw_upgrade": {busy, psynchRW}, "psynch_rw_rdlock": {busy, psynchRW}, "psynch_rw_wrlock": {busy, psynchRW},
		"psynch_rw_longrdlock": {busy, psynchRW}, "psynch_rw_yieldwrlock": {busy, psynchRW},
		"psynch_mutexwait": {busy, psynchMutex}, "psynch_cvwait": {parked, psynchCond},
		"ulock_wait": {parked, ulock}, "ulock_wait2": {parked, ulock},
		"mach_msg": {idle, machMessage}, "mach_msg_overwrite": {idle, machMessage},
		"mach_msg2":      {idle, machMessage2},
		"semaphore_wait": {parked, machSemaphore}, "semaphore_wait_signal": {parked, machSemaphore},
		"semaphore_timedwait": {parked, machSemaphore}, "semaphore_timedwait_signal": {parked, machSemaphore},
	}
})
