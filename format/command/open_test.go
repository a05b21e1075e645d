package command

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stacksnap/format"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// TestCoreOfNobody: a core that was cut short before its threads is reported on, and is an
// error.
func TestCoreOfNobody(t *testing.T) {
	b := make([]byte, 64+56)
	copy(b, "\x7fELF\x02\x01\x01")
	for offset, v := range map[int]uint16{16: 4 /* ET_CORE */, 18: 62 /* EM_X86_64 */, 20: 1, 52: 64, 54: 56} {
		binary.LittleEndian.PutUint16(b[offset:], v)
	}
	b[32], b[56] = 64, 1                                                                  // e_phoff, e_phnum
	b[64], b[68] = 1, 6                                                                   // PT_LOAD, PF_R|PF_W
	for offset, v := range map[int]uint64{72: 120, 80: 0x1000, 96: 0x1000, 104: 0x1000} { // p_offset, p_vaddr, p_filesz, p_memsz
		binary.LittleEndian.PutUint64(b[offset:], v)
	}
	file := filepath.Join(t.TempDir(), "it.core")
	write2(t, file, b)
	out, err, code := ran(t, file)
	if code != exitFailure || !strings.Contains(out, "no threads") || !strings.Contains(err, "it was cut short") || strings.Count(err, "\n") != 1 {
		t.Errorf("exit code %d, %q\n%s", code, err, out)
	}
}

// TestOurReportsAreKnown: each text format of the program, as it is written, is recognised
// as its own, and the error says what could be opened.
func TestOurReportsAreKnown(t *testing.T) {
	reports := map[string]*report.Report{
		"snapshot": report.Of(fixtures.Linux()), "samples": report.Of(fixtures.Sampled()),
		"several": report.OfGroup(fixtures.Group()), "hang": report.OfHang(fixtures.HangOf()),
	}
	for _, f := range format.All() {
		if !f.Text {
			continue
		}
		for name, r := range reports {
			for _, o := range []words.Options{{}, {Header: true, Width: 80, ASCII: true}} {
				path := filepath.Join(t.TempDir(), "it.txt")
				var b bytes.Buffer
				if err := f.Write(&b, r, o); err != nil {
					t.Fatal(err)
				}
				write2(t, path, b.Bytes())
				want := path + " is a text report of stacksnap, which cannot be opened again: recordings (-o it.snap) and JSON (-o it.json) can\n"
				if out, stderr, code := ran(t, path); code != exitFailure || out != "" || !strings.HasSuffix(stderr, want) {
					t.Errorf("%s of %s, %+v: %d, %s%s\n%s", f.Name, name, o, code, out, stderr, b.String())
				}
			}
		}
	}
}

// TestOurTextsAreKnown: what is for people says so, and what can be opened.
func TestOurTextsAreKnown(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"tree.txt":    {"idle\n\nProcess:         demo [42]\nTool:            stacksnap 1.0\n", "is a text report of stacksnap"},
		"summary.txt": {"idle\nProcess: demo [42], 2 threads, stopped for 1 ms\n", "is a text report of stacksnap"},
		"group.txt":   {"Processes:       4, one captured after another: 3 ms\n", "is a text report of stacksnap"},
		"moment.txt":  {"Processes: 4, captured at the same time\n", "is a text report of stacksnap"},
		"it.html":     {"<!DOCTYPE html><title>stacksnap</title>", "is a page of stacksnap"},
		"it.svg":      {"<?xml version=\"1.0\"?><svg><desc>stacksnap 1.0</desc></svg>", "is a flame graph of stacksnap"},
		"other.svg":   {"<?xml version=\"1.0\"?><svg/>", "neither a core file"},
		"other.txt":   {"Process:         demo [42]\n", "neither a core file"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, stderr, code := ran(t, path); code != exitFailure || out != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: %d, %s%s", name, code, out, stderr)
		}
	}
}
