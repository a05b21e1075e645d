package macho

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"stacksnap/images/internal/machotest"
)

// dataOf are the bytes of LC_DATA_IN_CODE, for offsets and lengths.
func dataOf(offsetsAndLengths ...uint32) []byte {
	var b []byte
	for i := 0; i < len(offsetsAndLengths); i += 2 {
		b = binary.LittleEndian.AppendUint32(b, offsetsAndLengths[i])
		b = binary.LittleEndian.AppendUint16(b, uint16(offsetsAndLengths[i+1]))
		b = append(b, 4, 0) // a table of jumps, of 4 bytes each
	}
	return b
}

func withData(t *testing.T, data []byte) *File {
	t.Helper()
	im := synthetic(nil, true, cpuARM64)
	im.DataInCode = data
	b := im.Encode()
	f, err := NewFile(bytes.NewReader(b), int64(len(b)), Want{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestDataInCode(t *testing.T) {
	const text = machotest.Text
	f := withData(t, dataOf(text+0x20, 8, text, 4, text+0x28, 2, text+0x40, 0)) // in no order
	for _, c := range []struct {
		at         uint64
		start, end uint64 // from the header on; 0: none
	}{
		{0, text, text + 4}, {text + 3, text, text + 4}, {text + 4, text + 0x20, text + 0x28},
		{text + 0x27, text + 0x20, text + 0x28}, {text + 0x28, text + 0x28, text + 0x2a},
		{text + 0x2a, text + 0x40, text + 0x40}, {text + 0x40, 0, 0}, {1 << 40, 0, 0},
	} {
		start, end, ok := f.DataInCode(base + c.at)
		if ok != (c.end != 0) || ok && (start != base+c.start || end != base+c.end) {
			t.Errorf("%#x: %#x to %#x, %v; want %#x to %#x", c.at, start, end, ok, c.start, c.end)
		}
	}
	if _, _, ok := withData(t, nil).DataInCode(0); ok {
		t.Error("data in a file that lists none")
	}
}

// TestDataInCodePasses the end of the address space, or of the file.
func TestDataInCodePasses(t *testing.T) {
	f := withData(t, dataOf(machotest.Text, 8))
	f.dataInCode.size = dataEntry * 4
	if got := f.readDataInCode(); got != nil {
		t.Errorf("more than there is: %v", got)
	}
	f.dataInCode.size = dataEntry * (maxDataEntries + 1)
	if got := f.readDataInCode(); got != nil {
		t.Errorf("more than there can be: %v", got)
	}
	for _, c := range [][]byte{dataOf(0xffff, 1), dataOf(0x8000, 0x8000)} {
		f := withData(t, c)
		f.segments[0].VMAddr = ^uint64(0) - 0xfffe
		if got := f.readDataInCode(); got != nil {
			t.Errorf("%v", got)
		}
	}
}

func TestAgreesOnDataInCode(t *testing.T) {
	for _, path := range oracleFiles(t) {
		f := openOracle(t, path)
		base, _ := f.TextVMAddr()
		var want []vmRange
		for line := range strings.Lines(llvm(t, "", "llvm-objdump", "--macho", "--data-in-code", archFlag(f), path)) {
			fields := strings.Fields(line)
			if len(fields) != 3 || !strings.HasPrefix(fields[0], "0x") {
				continue
			}
			at, err := strconv.ParseUint(fields[0], 0, 32)
			if err != nil {
				t.Fatalf("%s: %q", path, line)
			}
			n, _ := strconv.ParseUint(fields[1], 10, 16)
			want = append(want, vmRange{base + at, base + at + n})
		}
		if got := f.dataRanges(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %d ranges of data, want %d", path, len(got), len(want))
		}
		t.Logf("%s: %d ranges of data", filepath.Base(path), len(want))
	}
}
