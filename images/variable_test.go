package images

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"stacksnap/images/elf"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/needs"
)

// The sources of programs with variables of all kinds.
const (
	inC = `static struct { long n; char lock[40]; } bank; char checking[40] = "x", common; static const int rates[3] = {1, 2, 3};
__thread int mine[4]; __asm__(".data; .type label, @object; label: .zero 8; untyped: .zero 8; .text");
static int turn(void) { static int lock; return ++lock; }
int main(int argc, char **argv) { return bank.lock[argc] + checking[argc] + common + rates[argc] + mine[argc] + turn(); }`
	inCPP = `namespace bank { struct Account { long n; char m[40]; }; Account savings; static Account checking; template <class T> T rate = T(3); }
static int turn() { static int lock; return ++lock; }
int main(int argc, char **) { return bank::savings.m[argc] + bank::checking.m[argc] + bank::rate<long> + turn(); }`
	inRust = `use std::sync::Mutex; static LEDGER: Mutex<[u64; 8]> = Mutex::new([1; 8]);
mod bank { use std::sync::atomic::*; pub static TURN: AtomicU64 = AtomicU64::new(3); }
fn main() { println!("{} {}", LEDGER.lock().unwrap()[2], bank::TURN.fetch_add(1, std::sync::atomic::Ordering::SeqCst)); }`
)

// TestVariables compares the variables of compiled programs with those of the symbol table.
func TestVariables(t *testing.T) {
	for _, c := range []struct {
		compiler, source string
		flags            []string
		want             map[string]uint64 // some variables, and their sizes
	}{
		{"gcc", inC, []string{"-xc", "-O0"}, map[string]uint64{"bank": 48, "checking": 40, "common": 1, "rates": 12, "lock": 4, "label": 0}},
		{"g++", inCPP, []string{"-xc++", "-O0"}, map[string]uint64{"bank::savings": 48, "bank::checking": 48, "bank::rate<long>": 8, "turn()::lock": 4}},
		{"rustc", inRust, []string{"--crate-name", "ledger"}, map[string]uint64{"ledger::LEDGER": 72, "ledger::bank::TURN": 8}},
	} {
		t.Run(c.compiler, func(t *testing.T) {
			needs.Tools(t, c.compiler, "readelf")
			file := filepath.Join(t.TempDir(), "ledger")
			cmd := exec.Command(c.compiler, append(c.flags, "-o", file, "-")...)
			cmd.Stdin = bytes.NewReader([]byte(c.source))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			checkVariables(t, file, c.want)
		})
	}
}

func checkVariables(t *testing.T, file string, want map[string]uint64) {
	const slide = 0x7000_0000_0000
	r, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	info, _ := r.Stat()
	f, err := elf.NewFile(r, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m := NewMap([]object.Placed{{Path: file, Slide: slide, File: f}})
	for _, s := range objects(t, file) {
		at := slide + task.Addr(s.vmaddr)
		if v, ok := m.Variable(at); ok && want[v.Name] == s.size && v.Offset == 0 {
			delete(want, v.Name)
		}
		for _, off := range []uint64{0, s.size / 2, max(s.size, 1) - 1} {
			if v, ok := m.Variable(at + task.Addr(off)); !ok || v.Offset != off || v.Size != s.size {
				t.Errorf("%s + %d of %d: %+v, %t", s.name, off, s.size, v, ok)
			}
		}
		if v, _ := m.Variable(at + task.Addr(s.size) + 1); v.Offset > v.Size {
			t.Errorf("%+v is beyond its end", v)
		}
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}

type variable struct {
	vmaddr, size uint64
	name         string
}

// objects lists the variables that readelf finds in the symbol table. Thread-local ones are
// of another type.
func objects(t *testing.T, file string) (list []variable) {
	out, err := exec.Command("readelf", "-sW", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		f := strings.Fields(lines.Text()) // Num: Value Size Type Bind Vis Ndx Name
		if len(f) != 8 || f[3] != "OBJECT" || f[6] == "UND" {
			continue
		}
		vmaddr, err := strconv.ParseUint(f[1], 16, 64)
		size, err2 := strconv.ParseUint(f[2], 0, 64)
		if err != nil || err2 != nil {
			t.Fatal(lines.Text())
		}
		list = append(list, variable{vmaddr, size, f[7]})
	}
	return list
}
