package machocore_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/scripts/fixtures/corefile"
	"stacksnap/task"
)

// crashInfo is a portable_task_crash_info_t with its strings behind it.
func crashInfo(loaderInfo uint64) corefile.Note {
	return corefile.Note{Owner: "task crashinfo", Payload: func(offset uint64) []byte {
		b := make([]byte, 200)
		put32 := func(at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }
		text := func(at int, s string) {
			binary.LittleEndian.PutUint64(b[at:], offset+uint64(len(b)))
			b = append(b, s+"\x00"...)
		}
		put32(0, 2)
		put32(12, 4711)
		put32(16, 1)
		binary.LittleEndian.PutUint64(b[28:], 1_700_000_000)
		text(44, "worker")
		text(52, "/bin/worker")
		text(60, "launchd")
		put32(92, 0x20000)
		binary.LittleEndian.PutUint64(b[156:], loaderInfo)
		return b
	}}
}

func TestTaskCrashInfo(t *testing.T) {
	c := corefile.Core{CPU: corefile.X86_64, Threads: []corefile.Thread{stateX86}, Notes: []corefile.Note{crashInfo(0x1_8001_0000)},
		Segments: append(withList(0x1_0000_0000, 5, 2), withList(0x1_8000_0000, 3, 2)...)}
	p := open(t, c.Bytes())
	if problems := p.Info().Problems; len(problems) > 0 {
		t.Error(problems)
	}
	want := task.Info{
		PID: 4711, Name: "worker", Path: "/bin/worker", ParentPID: 1, ParentName: "launchd",
		Start: time.Unix(1_700_000_000, 0), Translated: true, Arch: task.AMD64, OS: task.Darwin,
		PageSize: 4096, CodeMask: ^uint64(0), LoaderInfo: 0x1_8001_0000, LoaderPointerSize: 8,
	}
	if diff := cmp.Diff(want, p.Info()); diff != "" {
		t.Error(diff)
	}
}

// command makes a load command of a core's own.
func command(cmd uint32, body ...any) []byte {
	b := binary.LittleEndian.AppendUint32(nil, cmd)
	b = binary.LittleEndian.AppendUint32(b, 0)
	for _, v := range body {
		b, _ = binary.Append(b, binary.LittleEndian, v)
	}
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)))
	return b
}

func TestCommandsOfGCore(t *testing.T) {
	c := corefile.Core{CPU: corefile.ARM64, Threads: []corefile.Thread{{}}, Segments: withList(0x1_8000_0000, 5, 3), Raw: [][]byte{
		command(0x140, uint32(1), uint16(2), uint16(12), uint64(0x1_0000_0000), uuid, uint64(0x1_8000_0000)),
		command(0x142, uint64(0x5000), uint64(16), uint64(0), uint64(16), uint32(7), uint32(3), uint32(0), uint32(0)),
		command(0x142, uint64(0x6000), uint64(16), uint64(0), uint64(4), uint32(7), uint32(3), uint32(4<<4), uint32(0)),
		command(0x141, uint32(0), uuid, uint32(0), uint64(0x7000), uint64(0x1000), uint64(0), uint64(0x1000), uint32(5), uint32(5), uint32(1), uint32(0)),
	}}
	p := open(t, c.Bytes())
	if info := p.Info(); info.PageSize != 4096 || info.LoaderInfo != 0x1_8001_0000 {
		t.Errorf("%+v", info)
	}
	if problems := p.Info().Problems; len(problems) != 1 || !strings.Contains(problems[0].Error(), "compressed") {
		t.Error(problems)
	}
	if got, err := read(p, 0x5000, 4); got != "\xcf\xfa\xed\xfe" || err != nil {
		t.Errorf("memory that is not compressed: %q, %v", got, err)
	}
	for _, a := range []task.Addr{0x6000, 0x7000} {
		if got, err := read(p, a, 1); got != "" || err == nil {
			t.Errorf("%v: %q", a, got)
		}
	}
	var regions int
	for range p.Regions() {
		regions++
	}
	if regions != 5 {
		t.Errorf("%d regions", regions)
	}
}
