package cfi

import (
	"bufio"
	"bytes"
	"debug/elf"
	"debug/macho"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/needs"
)

// extraFiles names, separated by colons, more files to compare: anything that
// llvm-dwarfdump reads.
const extraFiles = "STACKSNAP_CFI_FILES"

// TestRowsAgainstDwarfdump wants every row of every FDE of system files as
// llvm-dwarfdump prints it. Versions before 17 do not restore the CFA with
// DW_CFA_restore_state, and are not asked.
func TestRowsAgainstDwarfdump(t *testing.T) {
	tool := needs.LLVM(t, "llvm-dwarfdump", 17)
	if testing.Short() {
		needs.Skip(t, "time", "-short is given")
	}
	var files []string
	for _, glob := range []string{"/lib/*/libc.so.6", "/usr/lib/*/libstdc++.so.6", "../../images/macho/testdata/*.*"} {
		found, _ := filepath.Glob(glob)
		files = append(files, found...)
	}
	files = append(files, goPrograms(t)...)
	files = append(files, filepath.SplitList(os.Getenv(extraFiles))...)
	for _, path := range files {
		for _, kind := range []object.Kind{object.EHFrame, object.DebugFrame} {
			if s := testSection(path, kind); s != nil {
				t.Run(fmt.Sprintf("%s/%d", filepath.Base(path), kind), func(t *testing.T) { compare(t, tool, path, s) })
			}
		}
	}
}

// goPrograms builds a program for two architectures, because Go's linker writes
// a .debug_frame like no other.
func goPrograms(t *testing.T) []string {
	if _, err := exec.LookPath("go"); err != nil {
		return nil
	}
	dir := t.TempDir()
	src := filepath.Join(dir, "main.go")
	if err := os.WriteFile(src, []byte("package main\nfunc main() { println() }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, arch := range []string{"amd64", "arm64"} {
		bin := filepath.Join(dir, "go-"+arch)
		cmd := exec.Command("go", "build", "-o", bin, src)
		cmd.Env = append(os.Environ(), "GOARCH="+arch, "GOOS=linux", "CGO_ENABLED=0")
		if err := cmd.Run(); err == nil {
			out = append(out, bin)
		}
	}
	return out
}

// testSection reads a section with the standard library, nil when there is none.
func testSection(path string, kind object.Kind) *section {
	if f, err := elf.Open(path); err == nil {
		defer f.Close()
		return elfSection(f, kind)
	}
	f, err := macho.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	name := map[object.Kind]string{object.EHFrame: "__eh_frame", object.DebugFrame: "__debug_frame"}[kind]
	sec := f.Section(name)
	if sec == nil {
		return nil
	}
	data, err := sec.Data()
	if err != nil {
		return nil
	}
	s := &section{Section: object.Section{VMAddr: sec.Addr, Data: data}, eh: kind == object.EHFrame, pointerSize: 8}
	if f.Cpu == macho.Cpu386 {
		s.pointerSize, s.swapped = 4, s.eh
	}
	return s
}

func elfSection(f *elf.File, kind object.Kind) *section {
	name := map[object.Kind]string{object.EHFrame: ".eh_frame", object.DebugFrame: ".debug_frame"}[kind]
	sec := f.Section(name)
	if sec == nil || sec.Type == elf.SHT_NOBITS {
		return nil
	}
	data, err := sec.Data()
	if err != nil {
		return nil
	}
	s := &section{Section: object.Section{VMAddr: sec.Addr, Data: data}, eh: kind == object.EHFrame, pointerSize: 8}
	if f.Class == elf.ELFCLASS32 {
		s.pointerSize = 4
	}
	return s
}

var (
	fdeLine = regexp.MustCompile(`^([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ FDE cie=[0-9a-f]+ pc=([0-9a-f]+)\.\.\.([0-9a-f]+)`)
	rowLine = regexp.MustCompile(`^  0x([0-9a-f]+): (CFA=.*)`)
	field   = regexp.MustCompile(`(?:^|: |, )([A-Za-z][A-Za-z0-9]*)=`)
)

// compare reads the tool's table of one section beside ours.
func compare(t *testing.T, tool, path string, s *section) {
	flag := "--debug-frame"
	if s.eh {
		flag = "--eh-frame"
	}
	out, err := exec.Command(tool, flag, path).Output()
	if err != nil && len(out) == 0 {
		t.Fatalf("%s: %v", tool, err)
	}
	c := comparison{t: t, sec: s}
	c.index, err = newIndex(s)
	if err != nil {
		t.Errorf("index: %v", err)
	}
	ours := false // the tool prints both sections
	sc := bufio.NewScanner(bytes.NewReader(out))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		switch line := sc.Text(); {
		case strings.HasSuffix(line, "_frame contents:"):
			ours = strings.Contains(line, "eh_frame") == s.eh
		case ours:
			c.line(line)
		}
	}
	t.Logf("%d FDEs, %d rows, %d of them with expressions, %d different", c.fdes, c.rows, c.expressions, c.bad)
	if c.rows == 0 && c.fdes > 0 {
		t.Error("no rows understood")
	}
}

type comparison struct {
	t                            *testing.T
	sec                          *section
	index                        index
	fde                          *fde
	fdes, rows, expressions, bad int
}

func (c *comparison) line(line string) {
	if m := fdeLine.FindStringSubmatch(line); m != nil {
		c.fdes++
		off, start, end := hex(m[1]), hex(m[2]), hex(m[3])
		f, err := c.sec.fdeAt(int(off))
		if err != nil || f.start != start || f.end != end {
			c.fail("FDE at %#x: %+v, %v, want %#x-%#x", off, f, err, start, end)
		}
		c.fde = f
		if found, ok := c.index.find(start); start != 0 && start < end && (!ok || found != int(off)) {
			c.fail("%#x: index finds the FDE at %#x, want %#x", start, found, off)
		}
		return
	}
	if m := rowLine.FindStringSubmatch(line); m != nil && c.fde != nil {
		c.row(hex(m[1]), m[2])
	}
}

func (c *comparison) row(at uint64, text string) {
	c.rows++
	if strings.Contains(text, "DW_OP") {
		c.expressions++
	}
	r, err := c.sec.rowAt(c.fde, at)
	if err != nil {
		c.fail("%#x: %v", at, err)
		return
	}
	want, got := parseRow(text), formatRow(r)
	if !maps.Equal(got, want) {
		c.fail("%#x: got %v, want %v (%s)", at, got, want, text)
	}
}

func (c *comparison) fail(format string, args ...any) {
	if c.bad++; c.bad < 10 {
		c.t.Errorf(format, args...)
	}
}

func hex(s string) uint64 {
	v, _ := strconv.ParseUint(s, 16, 64)
	return v
}

// parseRow reads "CFA=RSP+8: RIP=[CFA-8]" as register number → rule. The number
// of the CFA is −1. Registers that are not kept are left out.
func parseRow(text string) map[int]string {
	out := map[int]string{}
	at := field.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		name, value := text[m[2]:m[3]], text[m[1]:end]
		if n, ok := regNumber(name); ok {
			out[n] = canonical(value)
		}
	}
	return out
}

var location = regexp.MustCompile(`^(\[?)([A-Za-z]+[0-9]*)([+-][0-9]+)?(\]?)$`)

// canonical writes registers in a rule by number, and expressions as "expr".
func canonical(value string) string {
	if strings.Contains(value, "DW_OP") {
		if strings.HasPrefix(value, "[") {
			return "[expr]"
		}
		return "expr"
	}
	m := location.FindStringSubmatch(value)
	if m == nil || value == "undefined" || value == "same" {
		return value
	}
	if n, ok := regNumber(m[2]); ok && n >= 0 {
		return fmt.Sprintf("%sr%d%s%s", m[1], n, m[3], m[4])
	}
	return value
}

var amd64Names = strings.Fields("RAX RDX RCX RBX RSI RDI RBP RSP R8 R9 R10 R11 R12 R13 R14 R15 RIP")
var i386Names = strings.Fields("EAX ECX EDX EBX ESP EBP ESI EDI EIP")

func regNumber(name string) (int, bool) {
	if name == "CFA" {
		return -1, true
	}
	for _, names := range [][]string{amd64Names, i386Names} {
		for n, s := range names {
			if s == name {
				return n, true
			}
		}
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(name, "XMM")); err == nil && n < 16 {
		return 17 + n, true
	}
	if name == "WSP" || name == "SP" {
		return 31, true
	}
	if name[0] == 'W' || name[0] == 'X' {
		n, err := strconv.Atoi(name[1:])
		return n, err == nil
	}
	return 0, false
}

func formatRow(r *row) map[int]string {
	out := map[int]string{-1: formatColumn(r.cfa)}
	for i, col := range r.columns[:task.MaxRegisters] {
		if col.kind != unspecified {
			out[i] = formatColumn(col)
		}
	}
	return out
}

func formatColumn(col column) string {
	plus := ""
	if col.off != 0 {
		plus = fmt.Sprintf("%+d", col.off)
	}
	switch col.kind {
	case undefined:
		return "undefined"
	case same:
		return "same"
	case offset:
		return "[CFA" + plus + "]"
	case valOffset:
		return "CFA" + plus
	case register:
		return fmt.Sprintf("r%d%s", col.reg, plus)
	case expression:
		return "[expr]"
	case valExpression:
		return "expr"
	}
	return "unspecified"
}
