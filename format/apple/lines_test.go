package apple

import (
	"strings"
	"testing"

	"stacksnap/format/apple/internal/notation"
)

func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", notation.MaxLine+9)
	p := read(t, []byte(analysisOf+"x (pid 1) once\nCall graph:\n    1 Thread_1\n      1 "+long+"\n      2 y\nTotal number in stack\n"))
	if roots := p.Threads[0].Roots; len(roots) != 2 || len(roots[0].Function) >= notation.MaxLine || roots[1].Function != "y" {
		t.Errorf("%d roots", len(roots))
	}
}
