//go:build linux && amd64 && screens

package e2e

import (
	"testing"

	"golang.org/x/sys/unix"
)

// situation is one way in which a program is broken.
type situation struct {
	name   string
	start  func(*testing.T) (pid int)
	says   []string // regular expressions, each of which the first screen matches
	notYet []string // regular expressions of what it should say, and does not
	isIdle bool     // what is seen of the process: what it serves, or what is not seen, is not
	varies bool     // the headline, from run to run
}

// situations are twenty that a person should find the cause of.
var situations = []situation{
	{name: "deadlock-cpp", start: compiledBy("g++", "orders.cpp", deadlocked),
		says: []string{`^2 of 3 threads are deadlocked`, `mutex checking`, `transfer\(Account&, Account&\) \(orders\.cpp:1[67]\)`}},
	{name: "deadlock-rust", start: compiledBy("rustc", "ledger.rs", threadsIn(unix.SYS_FUTEX, 2)),
		says: []string{`^hung: both threads wait, and neither can wake the other; main thread waits for thread \d+ "ledger" to end, called by ledger::main \(ledger\.rs:15\); thread .* waits for mutex 0x\w+ \(Rust records no holder\), called by ledger::post_entry \(ledger\.rs:7\)`}},
	{name: "deadlock-go", start: compiledBy("go", "stock", waitsIn(unix.SYS_EPOLL_PWAIT, unix.SYS_FUTEX)),
		varies: true, // any thread may be the one that polls
		says:   []string{`^main goroutine waits in sync\.Mutex\.Lock, called by main\.\(\*stock\)\.reserve \(main\.go:16\)`}},
	{name: "row-lock", start: postgresRowLock,
		says: []string{`^main thread waits for another transaction to end, in epoll_wait.*called by XactLockTableWait.*its title says "UPDATE waiting"`}},
	{name: "stuck-upstream", start: nginxUpstream,
		says: []string{`^/tmp/\S+/upstream \(\S+ \[\d+\]\) has not read \d+ bytes sent to it; main thread waits in epoll_wait`}},
	{name: "stuck-upstream-tcp", start: nginxTCPUpstream,
		says: []string{`^nothing received from 127\.0\.0\.1:\d+ \(\S+ \[\d+\]\) since the last send to it, \d+ s ago; main thread waits in epoll_wait`}},
	{name: "slow-script", start: redisScript, varies: true,
		says: []string{`^busy: main thread, in redis-server\b`, `lua_`}},
	{name: "leaked-threads", start: compiledBy("gcc", "leak.c", threadsIn(unix.SYS_READ, 1000)),
		says: []string{`^1,000 of 1,001 threads wait in read: fd 3 pipe:\[\d+\], which only the process itself has open for writing( \(not all others could be checked\))?, called by session \(leak\.c:9\)`}},
	{name: "lost-wakeup", start: compiledBy("gcc", "wakeup.c", waitsIn(unix.SYS_FUTEX)),
		says: []string{`^hung: the only thread waits, and nothing in the process can wake it; main thread waits in futex: condition variable job_ready`, `wait_for_job.*wakeup\.c:10`}},
	{name: "own-pipe", start: bashReadsItsOwnPipe, varies: true, // whether all processes may be read
		says: []string{`^main thread waits in read: fd 0 .*/queue, ` + byItself + `, called by read_builtin`}},
	{name: "full-pipe", start: yesIntoSleep, varies: true, // as well
		says: []string{`^main thread waits (for sleep \[\d+\] to read, in write: fd 1 pipe|in write: fd 1 pipe.*, with sleep \[\d+\] at the other end)`}},
	{name: "forked-lock", start: forkedChild,
		says: []string{`^hung: the only thread waits, and nothing in the process can wake it; main thread waits for mutex log_lock, held since the fork by thread \d+ of the parent process, "forked" \[\d+\], which cannot unlock it here, called by log_line \(forked\.c:1[23]\)`}},
	{name: "memory-bound", start: compiledBy("gcc", "memory.c", burns), varies: true,
		says: []string{`^busy: main thread, in chase \(memory\.c:1[3-6]\)(, \d+ % of a CPU since its start|; ready to run \d+ % of the time since its start, it got a CPU for \d+ %)`}},
	{name: "contention", start: compiledBy("gcc", "contention.c", burns), varies: true,
		says: []string{`add_totals`}}, // whether most of them wait for totals_lock varies
	{name: "spin", start: compiledBy("gcc", "spin.c", burns), varies: true,
		says: []string{`^busy: thread \d+ "spin", in await_config \(spin\.c:\d+\)(, \d+ % of a CPU since its start|; ready to run \d+ % of the time since its start, it got a CPU for \d+ %)`}},
	{name: "slow-disk", start: onFile("journal.c", waitsIn(unix.SYS_FSYNC)), varies: true,
		says: []string{`^(busy[^:]*: |)main thread,? (waits |)in (fsync: fd 3 \S+/file, |\w*pwrite)`, `commit.*journal\.c:\d`}},
	{name: "dns", start: dnsHangs,
		says: []string{`^main thread waits for an answer from DNS server 127\.0\.0\.7, in poll, called by gethostbyname2`}},
	{name: "paging", start: onFile("paging.c", faults), varies: true,
		says: []string{`look_up.*paging\.c:\d|evict.*paging\.c:\d`, `^(starved|paging from disk|main thread waits)[^\n]* page faults since its start \([\d,]+ from disk\)`}},
	{name: "stopped", start: stoppedSleep,
		says: []string{`^stopped`, `kill -CONT \d+`}},
	{name: "starved", start: starved, varies: true,
		says: []string{`^starved: main thread, in checksum \(checksum\.c:[3-7]\); ready to run \d+ % of the time since its start, it got a CPU for (\d+|under 1) %, at nice 19`}},
	{name: "mallocs", start: compiledBy("g++", "mallocs.cpp", burns), varies: true,
		says: []string{`^busy: [^\n]*handle_request.*mallocs\.cpp:\d`}},
}
