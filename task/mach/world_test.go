package mach

import (
	"encoding/binary"
	"time"

	"stacksnap/task"
)

// Where things are in the scripted process.
const (
	testStacks  task.Addr = 0x700000000000 // thread i's stack is i MiB above
	testStack             = 8 << 10        // bytes of each
	testQueues  task.Addr = 0x600000000000 // TSD slot, queue and label of thread 1
	testText    task.Addr = 0x100000000
	testAllInfo task.Addr = 0x200000000
)

// pattern is what memory holds.
var pattern = func() []byte {
	b := make([]byte, testPage)
	for i := range b {
		b[i] = byte(i / 8)
	}
	return b
}()

// newScripted makes a process of n threads on macOS as XNU runs it.
func newScripted(host task.Arch, n int) *scripted {
	s := &scripted{
		host: host, pid: 42, euid: 501,
		bsd: bsdInfo{flags: flagExec, status: 2, parent: 1, uid: 501, name: "short",
			start: time.Unix(1_700_000_000, 0)},
		execPath:  "/usr/bin/program",
		usage:     task.Footprint{Now: 3 << 20, Peak: 4 << 20},
		texts:     map[string]string{"kern.osproductversion": "14.5", "kern.osversion": "23F79", "kern.osrelease": "23.5.0"},
		numbers:   map[string]uint64{"hw.pagesize": testPage},
		loader:    dyldInfo{addr: testAllInfo, is64: true},
		ownQueues: queueOffsets{version: 4, label: 0x48, labelSize: 8, serial: 0x40, serialSize: 8},
		endOfMap:  invalidAddress,
		badRead:   invalidAddress,
	}
	s.addRegion(testText, testPage, task.Read|task.Execute, 0, true)
	s.addQueue()
	for i := range n {
		s.addThread(i)
	}
	return s
}

// newOdd makes the same under a kernel that answers some questions otherwise than
// XNU, or not at all: each answer has been seen of Darling, which runs Darwin's
// programs on Linux, as it is.
func newOdd(n int) *scripted {
	s := newScripted(task.AMD64, n)
	s.odd, s.noReadPort = true, noCall
	s.bsd.flags = flagExiting
	s.restless = 100 * time.Millisecond
	s.noExtended = invalidArgument
	s.recurseProt = true
	s.endOfMap = noSpace
	s.badRead = failure
	s.pflagsErr = noProcess
	s.listErr = notSup
	s.noRemapNew, s.noRemap = notSupported, notSupported
	s.bsd.name = "mldr"
	delete(s.texts, "kern.osproductversion")
	s.memory = append([]scriptedRegion{{region: region{start: 0, end: testText}}}, s.memory...)
	return s
}

func (s *scripted) addRegion(start task.Addr, size int, prot task.Prot, tag uint32, file bool) *scriptedRegion {
	b := make([]byte, size)
	for n := 0; n < size; {
		n += copy(b[n:], pattern)
	}
	s.memory = append(s.memory, scriptedRegion{
		region: region{start: start, end: start + task.Addr(size), prot: prot, tag: tag, file: file, object: s.newObject()},
		bytes:  b,
	})
	return &s.memory[len(s.memory)-1]
}

const testSerial = 1<<32 + 7

// addQueue writes a TSD slot that points, signed, to a queue with a label and a
// number.
func (s *scripted) addQueue() {
	m := s.addRegion(testQueues, testPage, task.Read|task.Write, 0, false)
	const sign = 0x5A << 56
	le := binary.LittleEndian
	le.PutUint64(m.bytes, uint64(testQueues)+0x100)
	if s.host == task.ARM64 {
		le.PutUint64(m.bytes, uint64(testQueues)+0x100|sign)
	}
	le.PutUint64(m.bytes[0x100+0x40:], testSerial)
	le.PutUint64(m.bytes[0x100+0x48:], uint64(testQueues)+0x200)
	copy(m.bytes[0x200:], "com.apple.main-thread\x00")
}

func (s *scripted) addThread(i int) *scriptedThread {
	start := testStacks + task.Addr(i)<<20
	s.addRegion(start-testPage, testPage, 0, 30, false) // the guard
	s.addRegion(start, testStack, task.Read|task.Write, 30, false)
	t := &scriptedThread{
		id: task.ThreadID(1000 + i), port: firstThread + port(i), name: "worker", run: 3,
		words: stateWords(s.host, testText+task.Addr(i), start+testStack-1024),
	}
	if i == 0 {
		t.name, t.qaddr = "", testQueues
	}
	s.threadList = append(s.threadList, t)
	return t
}

// stateWords lays out a state with a register's DWARF number + 100 in each, but
// for pc and sp, and fp = sp + 64.
func stateWords(a task.Arch, pc, sp task.Addr) []uint32 {
	l := stateLayout(a)
	w := make([]uint32, l.words)
	for i, d := range l.dwarf {
		v := uint64(int(d) + 100)
		switch {
		case d == skip:
			continue
		case task.Reg(d) == a.PC():
			v = uint64(pc)
		case task.Reg(d) == a.SP():
			v = uint64(sp)
		case task.Reg(d) == a.FP():
			v = uint64(sp) + 64
		}
		if l.wide {
			w[2*i], w[2*i+1] = uint32(v), uint32(v>>32)
		} else {
			w[i] = uint32(v)
		}
	}
	return w
}
