package unwind

import (
	"slices"
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
)

// The names of outermost functions are such in their own libraries only.
func TestOutermostNames(t *testing.T) {
	for _, tt := range []struct {
		path, segment, name string
		want                Reason
	}{
		{"/bin/demo", "", "_start", Bottom},
		{"/lib/ld-musl-x86_64.so.1", "", "_dlstart", Bottom},
		{"/bin/demo", "", "start", NoCaller},
		{"/usr/lib/system/libdyld.dylib", "__TEXT", "start", Bottom},
		{"/usr/lib/dyld", "__TEXT", "_dyld_start", Bottom},
		{"/usr/lib/dyld", "__TEXT", "start", NoCaller}, // it has unwind information
		{"/usr/lib/system/libsystem_pthread.dylib", "__TEXT", "thread_start", Bottom},
		{"/usr/lib/system/libsystem_pthread.dylib", "__TEXT", "start_wqthread", Bottom},
		{"/usr/lib/system/libsystem_pthread.dylib", "__TEXT", "_pthread_start", NoCaller},
		{"/Applications/Demo", "__TEXT", "start", NoCaller},
		{"/Applications/Demo", "__TEXT", "thread_start", NoCaller},
	} {
		f := newFake(task.AMD64)
		f.names = map[uint64]string{0x10200: tt.name}
		f.segments[0].Name = tt.segment
		m := images.NewMap([]object.Placed{{Path: tt.path, Load: codeBase, File: f}})
		// Behind it stands what libdyld's start finds there: its own address again.
		th := stacked(task.AMD64, 0x10120, sb, sb+16, 0x10221, 0, 0x10221)
		frames, stop := New(Options{}).Walk(nil, th, m, nil)
		want := []uint64{0x10120, 0x10221}
		if tt.want != Bottom {
			want = append(want, 0x10221)
		}
		if !slices.Equal(pcs(frames), want) || stop.Reason != tt.want {
			t.Errorf("%s in %s: %#x, %v", tt.name, tt.path, pcs(frames), stop.Reason)
		}
	}
}

// The code around the outermost call of a thread, up to the call and behind it.
var threadEnds = []struct {
	name          string
	arch          task.Arch
	before, after []byte
	want          bool
}{
	{"glibc's clone", task.AMD64, []byte{0xff, 0xd0}, []byte{0x48, 0x89, 0xc7, 0xb8, 60, 0, 0, 0, 0x0f, 0x05}, true},
	{"musl's clone", task.AMD64, []byte{0x41, 0xff, 0xd1}, []byte{0x89, 0xc7, 0x31, 0xc0, 0xb0, 60, 0x0f, 0x05, 0xf4}, true},
	{"the process ends", task.AMD64, []byte{0xff, 0xd0}, []byte{0x89, 0xc7, 0xb8, 231, 0, 0, 0, 0x0f, 0x05}, false},
	{"a thread ends with no result", task.AMD64, []byte{0xff, 0xd0}, []byte{0x31, 0xff, 0xb8, 60, 0, 0, 0, 0x0f, 0x05}, false},
	{"another call comes first", task.AMD64, []byte{0xff, 0xd0}, []byte{0x89, 0xc7, 0xff, 0xd0, 0xb8, 60, 0, 0, 0, 0x0f, 0x05}, false},
	{
		"musl's _start", task.AMD64,
		[]byte{0x48, 0x31, 0xed, 0x48, 0x89, 0xe7, 0x48, 0x8d, 0x35, 1, 2, 3, 0, 0x48, 0x83, 0xe4, 0xf0, 0xe8, 0, 0, 0, 0},
		nil, true,
	},
	{
		"a stack that is not aligned", task.AMD64,
		[]byte{0x48, 0x31, 0xed, 0x48, 0x89, 0xe7, 0x48, 0x8d, 0x35, 1, 2, 3, 0, 0xe8, 0, 0, 0, 0},
		nil, false,
	},
	{
		"a call behind the first", task.AMD64,
		[]byte{0x31, 0xed, 0x48, 0x83, 0xe4, 0xf0, 0xe8, 0, 0, 0, 0, 0xe8, 0, 0, 0, 0},
		nil, false,
	},
	{"clone of ARM64", task.ARM64, []byte{0x20, 0, 0x3f, 0xd6}, []byte{0xa8, 0x0b, 0x80, 0xd2, 1, 0, 0, 0xd4}, true},
	{"clone of I386", task.I386, []byte{0xff, 0xd0}, []byte{0x89, 0xc3, 0x31, 0xc0, 0x40, 0xcd, 0x80}, true},
	{"another system call of I386", task.I386, []byte{0xff, 0xd0}, []byte{0x89, 0xc3, 0x31, 0xc0, 0x90, 0xcd, 0x80}, false},
	{"another interrupt of I386", task.I386, []byte{0xff, 0xd0}, []byte{0x89, 0xc3, 0x31, 0xc0, 0x40, 0xcd, 0x81}, false},
	{"clone of I386, on AMD64", task.AMD64, []byte{0xff, 0xd0}, []byte{0x89, 0xc3, 0x31, 0xc0, 0x40, 0xcd, 0x80}, false},
	{"clone of ARM", task.ARM, []byte{0, 0, 0, 0xeb}, []byte{1, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef}, true},
	{"another system call of ARM", task.ARM, []byte{0, 0, 0, 0xeb}, []byte{2, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef}, false},
	{"another system call of ARM64", task.ARM64, []byte{0x20, 0, 0x3f, 0xd6}, []byte{0xc8, 0x0b, 0x80, 0xd2, 1, 0, 0, 0xd4}, false},
}

func TestThreadEnds(t *testing.T) {
	const pc = 0x10240
	for _, tt := range threadEnds {
		code := make([]byte, 0x100)
		copy(code[0x40-len(tt.before):], tt.before)
		copy(code[0x40:], tt.after)
		f := newFake(tt.arch)
		f.noStarts = true
		th := stacked(tt.arch, 0x10120, sb, 0, pc)
		frames, stop := New(Options{}).Walk(nil, th, mapOf(f), bytesAt{0x10200, code})
		if len(frames) != 2 || (stop.Reason == Bottom) != tt.want {
			t.Errorf("%s: %#x, %v", tt.name, pcs(frames), stop.Reason)
		}
	}
}

// A thread that has just been made stands where its maker called clone, on an
// empty stack.
func TestBirth(t *testing.T) {
	glibc := []byte{
		0xb8, 0xb3, 1, 0, 0, 0x0f, 0x05, // mov $435, %eax; syscall
		0x48, 0x85, 0xc0, 0x7c, 0x18, 0x74, 0x01, // test %rax, %rax; jl; je
		0xc3, 0x31, 0xed, 0x48, 0x83, 0xe4, 0xf0, 0xff, 0xd2, // ret; xor %ebp, %ebp; and $-16, %rsp; call *%rdx
	}
	for _, tt := range []struct {
		name   string
		at     uint64 // behind the start of these instructions
		rax    uint64
		stack  uint64
		want   []uint64
		reason Reason
	}{
		{"new", 7, 0, 0x666, []uint64{0x10207}, Bottom},
		{"new, a step on", 10, 0, 0x666, []uint64{0x1020a}, Bottom},
		{"new, clearing the frame pointer", 15, 0, 0x666, []uint64{0x1020f}, Bottom},
		{"its maker", 7, 4711, outer, []uint64{0x10207, outer}, Bottom},
		{"not yet there", 5, 0, 0x666, []uint64{0x10205}, BadPointer},
	} {
		f := newFake(task.AMD64)
		f.noStarts = true
		code := make([]byte, 0x200)
		copy(code[0x100:], glibc)
		th := stacked(task.AMD64, 0x10200+tt.at, 0, tt.stack)
		th.Registers.Set(0, tt.rax)
		frames, stop := New(Options{}).Walk(nil, th, mapOf(f), bytesAt{0x10100, code})
		if !slices.Equal(pcs(frames), tt.want) || stop.Reason != tt.reason {
			t.Errorf("%s: %#x, %v", tt.name, pcs(frames), stop.Reason)
		}
	}
}

// What is only deduced from the code ahead leads to where a call returns to, and
// is no bottom.
func TestUnprovenRules(t *testing.T) {
	jit := Options{Executable: func(a task.Addr) bool { return a>>12 == 0x555 }}
	ret := make([]byte, 4096) // as much as is looked at
	ret[0x20] = 0xc3
	code := both{bytesAt{0x555100, ret}, callsAt(task.AMD64, outer)}
	for _, tt := range []struct {
		above uint64
		want  []uint64
		end   Reason
	}{
		{outer, []uint64{0x555120, outer}, Bottom},
		{outer + 1, []uint64{0x555120}, NoCaller}, // behind no call
		{0, []uint64{0x555120}, NoCaller},
	} {
		frames, stop := New(jit).Walk(nil, stacked(task.AMD64, 0x555120, 0, tt.above), mapOf(newFake(task.AMD64)), code)
		if !slices.Equal(pcs(frames), tt.want) || (stop.Reason == Bottom) != (tt.end == Bottom) {
			t.Errorf("%#x above: %#x, %v", tt.above, pcs(frames), stop)
		}
	}
}
