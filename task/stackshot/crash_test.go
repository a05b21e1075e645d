package stackshot_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"stacksnap/task/stackshot"
	"stacksnap/task/stackshot/kcdata"
	"stacksnap/task/stackshot/stackshottest"
)

// crashOf writes what the kernel keeps of a crash.
func crashOf(write func(w *kcdata.Writer)) []byte {
	var w kcdata.Writer
	w.Begin(kcdata.CrashInfo)
	write(&w)
	w.End()
	return w.Bytes()
}

const crashWords = "what the kernel keeps of a crashed process, without stacks"

// TestCrashError tells whose crash it was, as far as that is known.
func TestCrashError(t *testing.T) {
	codes := func(w *kcdata.Writer, code, subcode uint64) {
		w.Struct(0x80e, &stackshot.ExceptionCode{Code: code, Subcode: subcode})
	}
	for want, write := range map[string]func(w *kcdata.Writer){
		"": func(*kcdata.Writer) {},
		": gone [7] of /bin/gone: SIGSEGV (EXC_BAD_ACCESS: KERN_INVALID_ADDRESS at 0xdeadbeef) in thread 0x707a": func(w *kcdata.Writer) {
			w.Text(0x809, "gone")
			w.Text(0x80f, "/bin/gone")
			w.Item(0x805, []byte{7, 0, 0, 0})
			w.Number(0x81a, 0x707a)
			w.Item(0x838, []byte{10, 0, 0, 0})
			codes(w, 0x0b100001, 0xdeadbeef)
		},
		": SIGBUS (EXC_BAD_ACCESS: KERN_PROTECTION_FAILURE at 0x10)": func(w *kcdata.Writer) { codes(w, 0x0a100002, 0x10) },
		": SIGSEGV (EXC_BAD_ACCESS)":                                 func(w *kcdata.Writer) { codes(w, 0x0b10000d, 0) },
		": SIGABRT":                                                  func(w *kcdata.Writer) { codes(w, 0x06000000, 0) },
		": SIGILL (EXC_BAD_INSTRUCTION)":                             func(w *kcdata.Writer) { codes(w, 0x04200001, 5) },
		": EXC_BREAKPOINT":                                           func(w *kcdata.Writer) { codes(w, 0x00600001, 5) },
		": SIGSYS (EXC_GUARD)":                                       func(w *kcdata.Writer) { codes(w, 0x0cc00001, 5) },
		": [7]": func(w *kcdata.Writer) { // a resource's codes are its own
			w.Item(0x805, []byte{7, 0, 0, 0})
			codes(w, 0x2000000b<<32|0x0b100001, 1)
		},
		": EXC_RESOURCE in thread 0x1": func(w *kcdata.Writer) {
			w.Item(0x838, []byte{11, 0, 0, 0})
			codes(w, 0x0b100001, 1)
			w.Number(0x81a, 1)
		},
		": inside [8]": func(w *kcdata.Writer) {
			w.Item(kcdata.Nested, crashOf(func(w *kcdata.Writer) {
				w.Text(0x809, "inside")
				w.Item(0x805, []byte{8, 0, 0, 0})
			}))
		},
	} {
		_, err := stackshot.Read(bytes.NewReader(crashOf(write)))
		var crash *stackshot.CrashError
		if !errors.As(err, &crash) || err.Error() != crashWords+want+"; for stacks open macOS's report of the crash, an .ips file" {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// TestCrashCounts has what is not known or not as it should be counted.
func TestCrashCounts(t *testing.T) {
	data := crashOf(func(w *kcdata.Writer) {
		w.Item(0x805, []byte{7, 0})
		w.Item(0x9999, nil)
		w.Item(kcdata.Nested, []byte("no buffer at all"))
	})
	var crash *stackshot.CrashError
	if _, err := stackshot.Read(bytes.NewReader(data)); !errors.As(err, &crash) || crash.Bad != 1 || crash.Unknown != 2 || crash.Cut != nil {
		t.Errorf("%+v, %v", crash, err)
	}
	if _, err := stackshot.Read(bytes.NewReader(data[:len(data)-8])); !errors.As(err, &crash) || crash.Cut == nil {
		t.Errorf("%+v, %v", crash, err)
	}
}

// TestCrashWithStackshot opens what is in it, however deep up to a bound.
func TestCrashWithStackshot(t *testing.T) {
	data := stackshottest.Bytes(filled(0))
	for depth := 1; depth < 9; depth++ {
		inner := data
		data = crashOf(func(w *kcdata.Writer) { w.Item(kcdata.Nested, inner) })
		shots, err := stackshot.Read(bytes.NewReader(data))
		if found := len(shots) == 1 && len(shots[0].Tasks) > 0; found != (depth <= 4) || !found && !strings.HasPrefix(err.Error(), crashWords) {
			t.Errorf("%d deep: %d stackshots, %v", depth, len(shots), err)
		}
	}
}

// TestCrashBehindStackshots: what stands behind a stackshot that is in another buffer is as
// deep as that.
func TestCrashBehindStackshots(t *testing.T) {
	data := crashOf(func(*kcdata.Writer) {})
	for range 7 {
		inner := append(stackshottest.Bytes(&stackshot.Shot{}), data...)
		data = crashOf(func(w *kcdata.Writer) { w.Item(kcdata.Nested, inner) })
	}
	if shots, err := stackshot.Read(bytes.NewReader(data)); err != nil || len(shots) != 4 {
		t.Errorf("%d stackshots, %v", len(shots), err)
	}
}
