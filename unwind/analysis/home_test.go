package analysis

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"stacksnap/task"
)

// wantHome wants the rule at the nop that code ends with, before a jump; none where the
// ways to it disagree.
func wantHome(t *testing.T, name, code, want string) {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(code, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	w := walk{code: b}
	r, err := w.rule(&amd64, uint32(len(b)-3), false)
	if got := r.Format(task.AMD64); want != "" && (err != nil || got != want) || want == "" && !errors.Is(err, ErrDisagree) {
		t.Errorf("%s: %s, %v, want %q", name, got, err, want)
	}
}

// TestHomeOfMovedSP: sp may be moved by any number, before what it was is kept.
func TestHomeOfMovedSP(t *testing.T) {
	// mov rsp, r11; sub rcx, rsp; mov r11, 8(rsp); xor r11d, r11d; nop; jmp *rcx
	wantHome(t, "moved", "4989e3 4829cc 4c895c2408 4531db 90 ffe1", "cfa = *(sp + 8) + 8; pc = *(cfa - 8)")
}

// TestHomeOfAnotherBase: a register that knows where sp was when it was aligned says
// nothing of where sp is after it was moved again.
func TestHomeOfAnotherBase(t *testing.T) {
	for _, c := range []struct{ name, code string }{
		{"moved", "4829cc"},                // sub rcx, rsp
		{"moved on one way", "75034829cc"}, // jne; sub rcx, rsp
	} {
		// mov rsp, rax; and -64, rsp; mov rsp, rbx; …; mov rax, 8(rbx); xor eax, eax; nop; jmp *rcx
		wantHome(t, c.name, "4889e0 4883e4c0 4889e3"+c.code+"48894308 31c0 90 ffe1", "")
	}
}

// TestIndexedHome is the same of a word whose place a register tells, until that is
// written: mov rax, 8(rsp, r9, 8).
func TestIndexedHome(t *testing.T) {
	const kept = "cfa = *(sp + 8·r9 + 8) + 8; pc = *(cfa - 8)"
	for _, c := range []struct{ name, code, want string }{
		{"as it was", "", kept},
		{"another index", "4a8954f408", kept},                                       // mov rdx, 8(rsp, r14, 8)
		{"another scale", "4a89548c08", kept},                                       // mov rdx, 8(rsp, r9, 4)
		{"no index", "4889542408", kept},                                            // mov rdx, 8(rsp)
		{"overwritten", "4a8954cc08", ""},                                           // mov rdx, 8(rsp, r9, 8)
		{"the index changed", "49ffc1", ""},                                         // inc r9
		{"the index popped", "4159", ""},                                            // pop r9
		{"the index loaded from it", "4e8b4ccc08", "cfa = r9 + 8; pc = *(cfa - 8)"}, // mov 8(rsp, r9, 8), r9
		{"a call, which changes the index", "ffd2", ""},
		{"pushed", "52", "cfa = *(sp + 8·r9 + 16) + 8; pc = *(cfa - 8)"}, // push rdx
		{"another word taken", "4a8b64f408", ""},                         // mov 8(rsp, r14, 8), rsp
	} {
		wantHome(t, c.name, "4889e04883e4c04a8944cc0831c0"+c.code+"90ffe1", c.want)
	}
}

// The index goes by its DWARF number: mov rax, 8(rsp, rdi, 8) in place of r9.
func TestIndexOfHome(t *testing.T) {
	wantHome(t, "rdi", "4889e0 4883e4c0 488944fc08 31c0 90 ffe1", "cfa = *(sp + 8·r5 + 8) + 8; pc = *(cfa - 8)")
}

// TestHome follows the word in which a function keeps the sp of its entry. Each begins
// with mov rsp, rax; and -64, rsp; mov rax, 8(rsp); xor eax, eax, and ends with a nop,
// where it is asked, and a jump to where nobody knows.
func TestHome(t *testing.T) {
	const kept = "cfa = *(sp + 8) + 8; pc = *(cfa - 8)"
	for _, c := range []struct{ name, code, want string }{
		{"as it was", "", kept},
		{"another word written", "48894c2410", kept}, // mov rcx, 16(rsp)
		{"a word pushed", "51", "cfa = *(sp + 16) + 8; pc = *(cfa - 8)"},
		{"popped up to it", "4883c408", "cfa = *(sp) + 8; pc = *(cfa - 8)"}, // add 8, rsp
		{"popped beyond it", "4883c410", ""},                                // add 16, rsp
		{"overwritten", "48894c2408", ""},                                   // mov rcx, 8(rsp)
		{"overwritten by a push", "4883c410 51", ""},                        // add 16, rsp; push rcx
		{"overwritten by another frame address", "488b442408 4883e808 4889442408 31c0", "cfa = *(sp + 8) + 16; pc = *(cfa - 8)"},
		{"kept twice", "488b442408 4889442410 31c0", kept},
		{"aligned again", "4883e4c0", ""},
		{"sp moved by what is not known", "4829cc", ""}, // sub rcx, rsp
		{"on one way only", "7505 48894c2408", ""},      // jne; mov rcx, 8(rsp)
		{"on two ways", "7505 48894c2410", kept},
		{"taken back", "488b642408", entryAMD64}, // mov 8(rsp), rsp
		{"another word taken", "488b642410", ""}, // mov 16(rsp), rsp
	} {
		wantHome(t, c.name, "4889e0 4883e4c0 4889442408 31c0"+c.code+"90 ffe1", c.want)
	}
}

// TestDistance follows how far sp was moved for an alignment, as salsa20 of qhasm keeps
// it. Each begins with mov rsp, r11; and 31, r11; add 512, r11; sub r11, rsp.
func TestDistance(t *testing.T) {
	const (
		begin = "4989e3 4983e31f 4981c300020000 4c29dc"
		kept  = "cfa = sp + *(sp + 8) + 8; pc = *(cfa - 8)"
		keep  = "4c895c2408" // mov r11, 8(rsp)
	)
	for _, c := range []struct{ name, code, want string }{
		{"in the register", "", "cfa = sp + 1·r11 + 8; pc = *(cfa - 8)"},
		{"changed by a known number", "4983c310", "cfa = sp + 1·r11 - 8; pc = *(cfa - 8)"}, // add 16, r11
		{"pushed", "51", "cfa = sp + 1·r11 + 16; pc = *(cfa - 8)"},                         // push rcx
		{"overwritten", "4531db", ""},                                                      // xor r11d, r11d
		{"in a word", keep + "4531db", kept},
		{"in a word, and pushed", keep + "4531db 51", "cfa = sp + *(sp + 16) + 16; pc = *(cfa - 8)"},
		{"in a word, and popped up to it", keep + "4531db 4883c408", "cfa = sp + *(sp) + 0; pc = *(cfa - 8)"},
		{"in a word below sp", keep + "4531db 4883c410", ""}, // add 16, rsp
		{"the word overwritten", keep + "4531db 48894c2408", ""},
		{"another word overwritten", keep + "4531db 48894c2410", kept},
		{"moved again", keep + "4c29dc", ""},
		{"of another place", "4829cc 4c895c2408 4531db", ""},          // sub rcx, rsp; then what was for the first
		{"taken back", keep + "4531db 4c8b5c2408 4c01dc", entryAMD64}, // mov 8(rsp), r11; add r11, rsp
		{"taken back from behind a push", keep + "4531db 4c8b5c2408 51 4c01dc", "cfa = sp + 16; pc = *(cfa - 8)"},
		{"on two ways", "7500" + keep + "4531db", kept},
		{"on one way only", "7508" + keep + "4531db", ""},
		{"saved there", keep + "4531db 48896c2418 31ed", "cfa = sp + *(sp + 8) + 8; fp = *(sp + 24); pc = *(cfa - 8)"}, // mov rbp, 24(rsp); xor ebp, ebp
		{"saved, and pushed", keep + "4531db 48896c2418 31ed 51", "cfa = sp + *(sp + 16) + 16; fp = *(sp + 32); pc = *(cfa - 8)"},
		{"saved, and overwritten", keep + "4531db 48896c2418 31ed 48894c2418", ""},
		{"saved, and taken back", keep + "4531db 48896c2418 31ed 488b6c2418", kept},
		{"saved below sp", "4c895c2420 4c897c2410 4531ff 4531db 4883c418", "cfa = sp + *(sp + 8) - 16; r15 = lost; pc = *(cfa - 8)"}, // add 24, rsp
		{"saved by an index", keep + "4531db 48896c0c18 31ed", ""},                                                                   // mov rbp, 24(rsp, rcx)
		{"taken by an index", keep + "4531db 48896c2418 31ed 488b6c0c18", "cfa = sp + *(sp + 8) + 8; fp = *(sp + 24); pc = *(cfa - 8)"},
		{"saved on one way only", keep + "4531db 7505 48896c2418 31ed", ""},
		{"saved, and overwritten on one way", keep + "4531db 48896c2418 31ed 7505 48894c2418", ""},
	} {
		want := strings.ReplaceAll(c.want, " + 0;", ";")
		wantHome(t, c.name, begin+c.code+"90 ffe1", want)
	}
}

// TestSavedBelowAnotherBase: what was saved at a distance from where sp was is not there
// once sp was aligned again, though the CFA is known.
func TestSavedBelowAnotherBase(t *testing.T) {
	// mov rsp, r10; and -64, rsp; mov rbp, 24(rsp); xor ebp, ebp; …; mov r10, 8(rsp); xor r10d, r10d
	const begin, end = "4989e2 4883e4c0 48896c2418 31ed", "4c89542408 4531d2 90 ffe1"
	wantHome(t, "once", begin+end, "cfa = *(sp + 8) + 8; fp = *(sp + 24); pc = *(cfa - 8)")
	wantHome(t, "again", begin+"4883e4c0"+end, "")
}

// TestMovedUp: what is added to sp, as at a function's end, is no distance to it.
func TestMovedUp(t *testing.T) {
	wantHome(t, "added", "4989e3 4983e31f 4c01dc 90 ffe1", "") // add r11, rsp
}
