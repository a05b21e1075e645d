package object

import (
	"math"
	"testing"
)

func TestBudget(t *testing.T) {
	b := NewBudget(100, 10)
	if !b.Keep(60) || !b.Keep(40) || b.Reached() {
		t.Error("what is within the budget is refused")
	}
	if b.Keep(1) || !b.Reached() || b.Keep(math.MaxUint64) {
		t.Error("what is beyond it is kept")
	}
	b.Return(10)
	if !b.Keep(10) || b.Keep(1) {
		t.Error("what was given back is not there, or more")
	}
	if !b.Read(10) || b.Read(1) {
		t.Error("reading has no bound of its own")
	}
	var none *Budget
	if !none.Keep(math.MaxUint64) || !none.Read(1) || none.Reached() {
		t.Error("no budget is a bound")
	}
	none.Return(1)
}
