//go:build hostile && linux

package hostile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"stacksnap/images/elf/elftest"
	"stacksnap/task/needs"
)

const (
	claimed = 4<<30 - 1<<20 // bytes that a section claims
	large   = 300 << 20     // bytes of debugging information that are there
)

// idler is a program with debugging information whose function idle waits for ever.
func idler(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "idler.c")
	text := "#include <unistd.h>\n__attribute__((noinline)) int idle(void)\n{\n\treturn pause() + 1;\n}\nint main(void) { return idle() - 1; }\n"
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "idler")
	out, err := exec.Command(needs.Tool(t, "gcc"), "-g", "-gz=none", "-gdwarf-4", "-O0", "-o", name, source).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// runProgram runs a program until the test ends, and returns its pid once it waits.
func runProgram(t *testing.T, program []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "hostile")
	if err := os.WriteFile(name, program, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return strconv.Itoa(cmd.Process.Pid)
}

// TestSectionBombs are programs whose sections decompress to gigabytes: functions are
// named nevertheless, and the report says what was left out.
func TestSectionBombs(t *testing.T) {
	program := idler(t)
	zeros := elftest.ZLIB(zeros{}, 256<<20)
	compressed := func(name string, kind elf.CompressionType, packed []byte) elftest.Section {
		return elftest.Section{Name: name, Type: elf.SHT_PROGBITS, Data: elftest.Claim(kind, claimed, packed), Compressed: true}
	}
	zstd := elftest.ZSTD(claimed)
	for name, c := range map[string]struct {
		sections []elftest.Section
		told     string
	}{
		"zlib":        {[]elftest.Section{compressed(".debug_info", elf.COMPRESS_ZLIB, zeros)}, ".debug_info (4095 MB inflated) is not read"},
		"zstd":        {[]elftest.Section{compressed(".debug_info", elf.COMPRESS_ZSTD, zstd)}, ".debug_info (4095 MB inflated) is not read"},
		"lines":       {[]elftest.Section{compressed(".debug_line", elf.COMPRESS_ZSTD, zstd)}, ".debug_line (4095 MB inflated) is not read"},
		"frames":      {[]elftest.Section{compressed(".debug_frame", elf.COMPRESS_ZLIB, zeros)}, ""},
		"symbols":     {[]elftest.Section{compressed(".symtab_shndx", elf.COMPRESS_ZLIB, zeros)}, ""},
		"xz":          {[]elftest.Section{{Name: ".gnu_debugdata", Type: elf.SHT_PROGBITS, Data: xzBomb(t)}}, ""},
		"two of them": {[]elftest.Section{compressed(".debug_abbrev", elf.COMPRESS_ZSTD, zstd), compressed(".debug_str", elf.COMPRESS_ZLIB, zeros)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			pid := runProgram(t, elftest.Replace(t, program, c.sections...))
			debug.FreeOSMemory() // the peak is at least what this program has
			r := snap(t, limit, pid)
			r.check(t)
			if r.code != 0 || !strings.Contains(r.out, "idle") || !strings.Contains(r.out+r.err, c.told) {
				t.Errorf("exit %d, want idle and %q:\n%s%s", r.code, c.told, r.out, r.err)
			}
			t.Logf("%v, %d MB", r.took, r.peak>>20)
		})
	}
}

// TestLargeSection is debugging information of 300 MB that is no bomb: all of it is read.
func TestLargeSection(t *testing.T) {
	program := idler(t)
	f, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Section(".debug_info").Data()
	if err != nil {
		t.Fatal(err)
	}
	aranges, err := f.Section(".debug_aranges").Data()
	if err != nil {
		t.Fatal(err)
	}
	const unit = 6 // in .debug_aranges: where the unit is
	binary.LittleEndian.PutUint32(aranges[unit:], binary.LittleEndian.Uint32(aranges[unit:])+large)
	size := large + int64(len(info))
	packed := elftest.ZLIB(io.MultiReader(elftest.Pad(large, new(elftest.Filler)), bytes.NewReader(info)), size)
	pid := runProgram(t, elftest.Replace(t, program,
		elftest.Section{Name: ".debug_info", Type: elf.SHT_PROGBITS, Data: elftest.Claim(elf.COMPRESS_ZLIB, uint64(size), packed), Compressed: true},
		elftest.Section{Name: ".debug_aranges", Type: elf.SHT_PROGBITS, Data: aranges}))
	packed, program = nil, nil
	debug.FreeOSMemory() // the peak is at least what this program has
	r := snap(t, 2*limit, pid)
	r.check(t)
	if r.code != 0 || !strings.Contains(r.out, "idler.c:4") || strings.Contains(r.out+r.err, "not read") {
		t.Errorf("exit %d:\n%s%s", r.code, r.out, r.err)
	}
	t.Logf("%v, %d MB", r.took, r.peak>>20)
}

// xzBomb is an .xz stream of 128 MB of zeros.
func xzBomb(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := xz.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(w, zeros{}, 128<<20); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
