//go:build cgo && darwinlive

package mach

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// childVariable makes this program a process to look at.
const childVariable = "STACKSNAP_LIVE_CHILD"

// TestLiveChild is that process. It ends when its input does.
func TestLiveChild(t *testing.T) {
	needs.Variable(t, childVariable, "the other tests start it")
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
	os.Exit(0)
}

// startChild runs such a process until the test ends.
func startChild(t *testing.T) *exec.Cmd {
	t.Helper()
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(file, "-test.run", "^TestLiveChild$")
	cmd.Env = append(os.Environ(), childVariable+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the child said %q, %v", line, err)
	}
	return cmd
}

// liveChild is what the calls of the table are made on.
type liveChild struct {
	k       xnu
	pid     int
	task    port
	threads []port
	memory  region // that can be read and written
	held    []byte // a mapping
	shot    shotConfig
}

// call is a row of the table: a function of mach.h, and what one call of it gave.
// wrong is what is not as it must be on any kernel; a refusal is an answer.
type call struct {
	function string
	do       func(c *liveChild) (answer, wrong string)
}

// wrongUnless is empty where something is as it must be.
func wrongUnless(right bool) string {
	if right {
		return ""
	}
	return "wrong"
}

func ret(r Return) string { return fmt.Sprintf("kern_return_t %d", r) }
func num(e Errno) string  { return fmt.Sprintf("errno %d", e) }

// liveCalls is every function of mach.h, in the order in which they can be called.
var liveCalls = []call{
	{"mk_task_read_for_pid", func(c *liveChild) (string, string) {
		p, e := c.k.taskReadForPID(c.pid)
		if e == ok {
			defer c.k.release(p)
		}
		return num(e), wrongUnless(p.valid() == (e == ok))
	}},
	{"mk_task_for_pid", func(c *liveChild) (string, string) {
		p, r := c.k.taskForPID(c.pid)
		c.task = p
		return ret(r), wrongUnless(r == success && p.valid())
	}},
	{"mk_is_dead", func(c *liveChild) (string, string) {
		return fmt.Sprint(c.k.isDead(c.task), " of a live one"), wrongUnless(!c.k.isDead(c.task) && c.k.isDead(0xffff03))
	}},
	{"mk_dyld_info", func(c *liveChild) (string, string) {
		d, r := c.k.dyldInfo(c.task)
		return fmt.Sprintf("%s, %v, 64 bits %v", ret(r), d.addr, d.is64), wrongUnless(r == success && d.is64 && d.addr != 0)
	}},
	{"mk_task_basic", func(c *liveChild) (string, string) {
		i, r := c.k.taskBasic(c.task)
		return fmt.Sprintf("%s, %+v", ret(r), i), ""
	}},
	{"mk_vm_info", func(c *liveChild) (string, string) {
		f, r := c.k.vmInfo(c.task)
		return fmt.Sprintf("%s, %+v", ret(r), f), ""
	}},
	{"mk_threads", func(c *liveChild) (string, string) {
		list, r := c.k.threads(c.task)
		c.threads = list
		return fmt.Sprintf("%s, %d threads", ret(r), len(list)), wrongUnless(r == success && len(list) > 0)
	}},
	{"mk_thread_identity", func(c *liveChild) (string, string) {
		i, r := c.k.identity(c.threads[0])
		return fmt.Sprintf("%s, id %#x, queue slot %v, handle %v", ret(r), uint64(i.id), i.queue, i.handle), wrongUnless(r == success && i.id != 0)
	}},
	{"mk_thread_basic", func(c *liveChild) (string, string) {
		b, r := c.k.basic(c.threads[0])
		return fmt.Sprintf("%s, %+v", ret(r), b), wrongUnless(r == success)
	}},
	{"mk_thread_extended", func(c *liveChild) (string, string) {
		e, r := c.k.extended(c.threads[0])
		return fmt.Sprintf("%s, %+v", ret(r), e), ""
	}},
	{"mk_suspend", func(c *liveChild) (string, string) {
		r := c.k.suspend(c.task)
		return ret(r), wrongUnless(r == success)
	}},
	{"mk_thread_state", func(c *liveChild) (string, string) {
		l := stateLayout(c.k.arch())
		words := make([]uint32, l.words)
		n, r := 0, aborted
		var regs task.Registers
		for range 1000 { // a stop may take a while
			if n, r = c.k.state(c.threads[0], l.flavor, words); r == success {
				regs.Arch = c.k.arch()
				l.decode(words, ^uint64(0), &regs)
				if regs.SP() != 0 {
					break
				}
			}
			c.k.pause(time.Millisecond)
		}
		c.memory.start = regs.SP()
		return fmt.Sprintf("%s, %d words, pc %v, sp %v", ret(r), n, regs.PC(), regs.SP()), wrongUnless(r == success && n == l.words && regs.SP() != 0)
	}},
	{"mk_region_recurse", func(c *liveChild) (string, string) {
		sp := c.memory.start
		m, r := c.k.regionRecurse(c.task, sp)
		c.memory = m
		return fmt.Sprintf("%s, %+v", ret(r), m), wrongUnless(r == success && m.contains(sp))
	}},
	{"mk_region_basic", func(c *liveChild) (string, string) {
		m, r := c.k.region(c.task, c.memory.start)
		return fmt.Sprintf("%s, %+v", ret(r), m), wrongUnless(r == success && m.contains(c.memory.start))
	}},
	{"mk_read", func(c *liveChild) (string, string) {
		n, r := c.k.read(c.task, make([]byte, 64), c.memory.end-64)
		_, bad := c.k.read(c.task, make([]byte, 64), 8)
		return fmt.Sprintf("%s, %d bytes; of nothing %s", ret(r), n, ret(bad)), wrongUnless(r == success && n == 64 && bad != success)
	}},
	{"mk_resume", func(c *liveChild) (string, string) {
		r := c.k.resume(c.task)
		return ret(r), wrongUnless(r == success)
	}},
	{"mk_free_ports", func(c *liveChild) (string, string) {
		for _, p := range c.threads {
			c.k.release(p)
		}
		r := c.k.freePorts(c.threads)
		c.threads = nil
		return ret(r), wrongUnless(r == success)
	}},
	{"mk_remap_new", func(c *liveChild) (string, string) {
		b, r := c.k.remapNew(c.task, c.memory.start, uint64(os.Getpagesize()))
		if r == success {
			c.k.unmap(b)
		}
		return ret(r), wrongUnless((r == success) == (len(b) > 0))
	}},
	{"mk_remap", func(c *liveChild) (string, string) {
		b, r := c.k.remap(c.task, c.memory.start, uint64(os.Getpagesize()))
		if r == success {
			c.held = b
		}
		return ret(r), wrongUnless((r == success) == (len(b) > 0))
	}},
	{"mk_own_region", func(c *liveChild) (string, string) {
		if c.held == nil { // any page of ours does
			c.held = ownPage()
		}
		b, r := c.k.backing(c.held)
		return fmt.Sprintf("%s, %+v", ret(r), b), wrongUnless(r == success && b.size > 0)
	}},
	{"mk_read_only", func(c *liveChild) (string, string) {
		r := c.k.readOnly(c.held)
		return ret(r), wrongUnless(r == success)
	}},
	{"mk_unmap", func(c *liveChild) (string, string) {
		r := c.k.unmap(c.held)
		return ret(r), wrongUnless(r == success)
	}},
	{"mk_region_path", func(c *liveChild) (string, string) {
		own := c.k.regionPath(os.Getpid(), task.Addr(funcAddress()))
		return fmt.Sprintf("%q of our own code", own), ""
	}},
	{"mk_file", func(c *liveChild) (string, string) {
		b := make([]byte, 4096)
		n, e := c.k.file(c.pid, 0, 6, b) // PROC_PIDFDPIPEINFO of its standard input
		return fmt.Sprintf("%s, %d bytes", num(e), n), ""
	}},
	{"mk_children", func(c *liveChild) (string, string) {
		list, e := c.k.children(os.Getpid())
		return fmt.Sprintf("%s, %d, the child among them: %v", num(e), len(list), slices.Contains(list, c.pid)), ""
	}},
	{"mk_code_flags", func(c *liveChild) (string, string) {
		f, e := c.k.codeFlags(c.pid)
		return fmt.Sprintf("%s, %#x", num(e), f), ""
	}},
	{"mk_entitlements", func(c *liveChild) (string, string) {
		return fmt.Sprint("debugger: ", c.k.entitled("com.apple.security.cs.debugger")), ""
	}},
	{"mk_protection", func(c *liveChild) (string, string) {
		f, e := c.k.protection()
		return fmt.Sprintf("%s, %#x", num(e), f), ""
	}},
	{"mk_sandboxed", func(c *liveChild) (string, string) { return fmt.Sprint(c.k.sandboxed()), "" }},
	{"mk_bsd_info", func(c *liveChild) (string, string) {
		b, e := c.k.bsdInfo(c.pid)
		return fmt.Sprintf("%s, %+v", num(e), b), wrongUnless(e == ok && b.parent == os.Getpid())
	}},
	{"mk_cpu_type", func(c *liveChild) (string, string) {
		n, e := c.k.cpuType(c.pid)
		return fmt.Sprintf("%s, %#x", num(e), n), ""
	}},
	{"mk_cpu_time", func(c *liveChild) (string, string) {
		d, e := c.k.cpuTime(c.pid)
		return fmt.Sprintf("%s, %v", num(e), d), wrongUnless(e != ok || d >= 0)
	}},
	{"mk_path", func(c *liveChild) (string, string) {
		file, e := c.k.path(c.pid)
		own, _ := os.Executable()
		return fmt.Sprintf("%s, %q", num(e), file), wrongUnless(e == ok && strings.HasSuffix(file, own[strings.LastIndexByte(own, '/'):]))
	}},
	{"mk_folder", func(c *liveChild) (string, string) {
		folder, e := c.k.folder(c.pid)
		own, _ := os.Getwd()
		return fmt.Sprintf("%s, %q", num(e), folder), wrongUnless(e != ok || folder == "" || strings.HasSuffix(folder, own[strings.LastIndexByte(own, '/'):]))
	}},
	{"mk_pids", func(c *liveChild) (string, string) {
		list, e := c.k.pids()
		return fmt.Sprintf("%s, %d", num(e), len(list)), ""
	}},
	{"mk_processes", func(c *liveChild) (string, string) {
		list, e := c.k.processes()
		found := false
		for _, p := range list {
			found = found || p.PID == c.pid
		}
		return fmt.Sprintf("%s, %d, the child among them: %v", num(e), len(list), found), ""
	}},
	{"mk_sysctl", func(c *liveChild) (string, string) {
		s, e := c.k.text("kern.osrelease")
		n, e2 := c.k.number("hw.pagesize")
		return fmt.Sprintf("%s, %q; %s, %d", num(e), s, num(e2), n), wrongUnless(e == ok && s != "" && n >= 4096)
	}},
	{"mk_queue_offsets", func(c *liveChild) (string, string) {
		o, there := c.k.queueOffsets()
		return fmt.Sprintf("%v %+v", there, o), wrongUnless(there)
	}},
	{"mk_exports", func(c *liveChild) (string, string) {
		for _, function := range shotFunctions {
			if !c.k.exports(function) {
				return "no " + function, wrongUnless(c.k.exports("task_threads") && !c.k.exports("no_such_function"))
			}
		}
		return "all of the stackshots'", wrongUnless(c.k.exports("task_threads") && !c.k.exports("no_such_function"))
	}},
	{"mk_shot_create", func(c *liveChild) (string, string) {
		config, e := c.k.newShot()
		c.shot = config
		return num(e), wrongUnless((e == ok) == (config != 0))
	}},
	{"mk_shot_pid", func(c *liveChild) (string, string) { return num(c.k.shotPID(c.shot, c.pid)), "" }},
	{"mk_shot_flags", func(c *liveChild) (string, string) { return num(c.k.shotFlags(c.shot, shotFlags(c.pid))), "" }},
	{"mk_shot_since", func(c *liveChild) (string, string) { return num(c.k.shotSince(c.shot, 0)), "" }},
	{"mk_shot_hint", func(c *liveChild) (string, string) { return num(c.k.shotHint(c.shot, 0)), "" }},
	{"mk_shot_capture", func(c *liveChild) (string, string) { return num(c.k.captureShot(c.shot)), "" }},
	{"mk_shot_buffer", func(c *liveChild) (string, string) {
		return fmt.Sprintf("%d bytes", len(c.k.shotBuffer(c.shot))), ""
	}},
	{"mk_shot_drop", func(c *liveChild) (string, string) { return num(c.k.dropShot(c.shot)), "" }},
	{"mk_shot_free", func(c *liveChild) (string, string) { return num(c.k.freeShot(c.shot)), "" }},
	{"mk_uptime", func(c *liveChild) (string, string) {
		a := c.k.uptime()
		c.k.pause(time.Millisecond)
		return fmt.Sprint(a > 0), wrongUnless(c.k.uptime() > a)
	}},
	{"mk_continuous", func(c *liveChild) (string, string) {
		a := c.k.continuous()
		c.k.pause(time.Millisecond)
		return fmt.Sprint(a > 0), wrongUnless(c.k.continuous() > a)
	}},
	{"mk_pause", func(c *liveChild) (string, string) {
		a := c.k.uptime()
		c.k.pause(5 * time.Millisecond)
		return "slept", wrongUnless(c.k.uptime()-a > 4*time.Millisecond)
	}},
	{"mk_wait_until", func(c *liveChild) (string, string) {
		until := c.k.uptime() + 5*time.Millisecond
		c.k.waitUntil(until)
		return "slept", wrongUnless(c.k.uptime() > until-time.Millisecond)
	}},
	{"mk_time_constraint", func(c *liveChild) (string, string) {
		return ret(c.k.timeConstraint(10*time.Millisecond, time.Millisecond, 2*time.Millisecond)), ""
	}},
	{"mk_standard_policy", func(c *liveChild) (string, string) { return ret(c.k.standardPolicy()), "" }},
	{"mk_release", func(c *liveChild) (string, string) {
		r := c.k.release(c.task)
		return ret(r), wrongUnless(r == success)
	}},
}

// ownPage is a page that the Go runtime knows nothing of.
func ownPage() []byte {
	b, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	b[0] = 1
	return b
}

// funcAddress is in our own code.
func funcAddress() uintptr {
	pc, _, _, _ := runtime.Caller(0)
	return pc
}

// TestLiveCalls makes each call of mach.h on a live process and prints what came
// back. What a call leaves behind, a port or a reference to one, it leaves each time
// that it is made; the ports of a thread that the Go runtime starts meanwhile come
// once. So two rounds of all calls in a row must leave exactly what there was.
func TestLiveCalls(t *testing.T) {
	runtime.LockOSThread() // two of the calls are about the calling thread
	defer runtime.UnlockOSThread()
	const rounds, settled = 8, 2
	pid := startChild(t).Process.Pid
	first, _ := ownPorts()
	counts, same := []ports{first}, 0
	for round := 0; round < rounds && same < settled; round++ {
		makeCalls(t, &liveChild{pid: pid}, round == 0)
		n, r := ownPorts()
		if r != success {
			t.Fatalf("mach_port_names: %v", r)
		}
		if same++; n != counts[round] {
			same = 0
		}
		counts = append(counts, n)
	}
	fmt.Printf("ports and references after each round: %v\n", counts)
	if same < settled {
		t.Errorf("they do not settle")
	}
}

func makeCalls(t *testing.T, c *liveChild, tell bool) {
	t.Helper()
	for _, row := range liveCalls {
		answer, wrong := row.do(c)
		if tell {
			fmt.Printf("| %s | TestLiveCalls | %s |\n", row.function, answer)
		}
		if wrong != "" {
			t.Fatalf("%s: %s: %s", row.function, wrong, answer)
		}
	}
}

// TestLiveStopAllocatesNothing: neither the calls of a stop nor what is made of
// their answers, in Go's heap.
func TestLiveStopAllocatesNothing(t *testing.T) {
	p, err := Open(startChild(t).Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	var snap task.Snapshot
	if err := task.Take(p, &snap); err != nil { // makes the room
		t.Fatal(err)
	}
	threads := snap.Threads
	var b [64]byte
	a := threads[0].Registers.SP()
	run := func() {
		resume, err := p.Suspend(task.StopOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range threads {
			_ = p.Capture(threads[i].ID, &threads[i])
		}
		if n, err := p.Memory().ReadMemory(b[:], a); n != len(b) || err != nil {
			t.Error(n, err)
		}
		if err := resume(); err != nil {
			t.Fatal(err)
		}
	}
	calls := testing.AllocsPerRun(100, run)
	fmt.Printf("%d threads: %v allocations a stop\n", len(threads), calls)
	for i := range threads {
		if len(threads[i].Stacks) == 0 {
			t.Errorf("thread %d: no stack: %v", threads[i].ID, threads[i].Err)
		}
	}
	if calls != 0 {
		t.Errorf("%v allocations a stop", calls)
	}
}

// flatVariable says how many one-shots and samples [TestLiveFlat] takes, as
// "200,5000".
const flatVariable = "STACKSNAP_LIVE_FLAT"

// TestLiveFlat: neither ports nor mappings grow with what is captured.
func TestLiveFlat(t *testing.T) {
	shots, samples := 20, 200
	if v := os.Getenv(flatVariable); v != "" {
		a, b, _ := strings.Cut(v, ",")
		shots, _ = strconv.Atoi(a)
		samples, _ = strconv.Atoi(b)
	}
	pid := startChild(t).Process.Pid
	for range 3 { // what is made once
		oneShot(t, pid)
	}
	before := own(t)
	for range shots {
		oneShot(t, pid)
	}
	after := own(t)
	t.Logf("%d one-shots: %v before, %v after", shots, before, after)
	before.mustEqual(t, after)

	sampled(t, pid, samples/10+1)
	before = own(t)
	n := sampled(t, pid, samples)
	after = own(t)
	t.Logf("%d samples: %v before, %v after", n, before, after)
	before.mustEqual(t, after)
}

// owned is what this process has.
type owned struct {
	ports          ports
	regions        int
	writable, heap uint64
}

func (o owned) String() string {
	return fmt.Sprintf("%d ports with %d references, %d mappings, %d KiB writable, heap %d KiB", o.ports.names, o.ports.refs, o.regions, o.writable>>10, o.heap>>10)
}

func own(t *testing.T) owned {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	n, r := ownPorts()
	if r != success {
		t.Fatalf("mach_port_names: %v", r)
	}
	count, bytes := ownRegions()
	return owned{ports: n, regions: count, writable: bytes, heap: m.HeapAlloc}
}

// mustEqual allows for threads that the Go runtime starts, which have a port and a
// stack each.
func (o owned) mustEqual(t *testing.T, now owned) {
	t.Helper()
	const few = 8
	if now.ports.names > o.ports.names+few || now.ports.refs > o.ports.refs+2*few || now.regions > o.regions+3*few || now.heap > o.heap+1<<20 {
		t.Errorf("%v before, %v now", o, now)
	}
}

func oneShot(t *testing.T, pid int) {
	t.Helper()
	p, err := Open(pid)
	if err != nil {
		t.Fatal(err)
	}
	var snap task.Snapshot
	if err := task.Take(p, &snap); err != nil {
		t.Fatal(err)
	}
	for i := range snap.Threads {
		if th := &snap.Threads[i]; th.Err != nil || len(th.Stacks) == 0 {
			t.Errorf("thread %d: %d stacks, %v", th.ID, len(th.Stacks), th.Err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func sampled(t *testing.T, pid, count int) (n int) {
	t.Helper()
	p, err := Open(pid)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range task.Sample(context.Background(), p, task.Options{Count: count, Interval: time.Millisecond}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	return n
}
