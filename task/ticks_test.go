package task

import (
	"context"
	"slices"
	"testing"
	"time"
)

// TestTicks are those of Sample: work that takes long has some be missed, and they end by
// count, by time, with the context, and when nobody wants more.
func TestTicks(t *testing.T) {
	ms := time.Millisecond
	collect := func(ctx context.Context, o Options, work time.Duration) (at []time.Duration, missed []int) {
		c := &fakeClock{}
		for n := range Ticks(ctx, c.options(o)) {
			at, missed = append(at, c.now), append(missed, n)
			c.now += work
		}
		return at, missed
	}
	at, missed := collect(t.Context(), Options{Interval: ms, Count: 3}, 2*ms+ms/2)
	if !slices.Equal(missed, []int{0, 1, 2}) || len(at) != 3 {
		t.Errorf("at %v, missed %v", at, missed)
	}
	ended := -1
	at, _ = collect(t.Context(), Options{Interval: ms, Duration: 4 * ms, Ended: func(n int) { ended = n }}, 0)
	if !slices.Equal(at, []time.Duration{0, ms, 2 * ms, 3 * ms}) || ended != 0 {
		t.Errorf("at %v, %d missed at the end", at, ended)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if at, _ := collect(ctx, Options{Interval: ms}, 0); len(at) != 0 {
		t.Errorf("at %v", at)
	}
	for range Ticks(t.Context(), (&fakeClock{}).options(Options{Interval: ms})) {
		break
	}
}

// TestTicksWithin: what takes longer than its share makes those be missed that would come
// before that is made up for, and they are told at the end, too.
func TestTicksWithin(t *testing.T) {
	ms := time.Millisecond
	collect := func(o Options, work time.Duration) (at []time.Duration, missed []int) {
		c := &fakeClock{}
		var took time.Duration
		for n := range TicksWithin(t.Context(), c.options(o), 4, &took) {
			at, missed = append(at, c.now), append(missed, n)
			c.now += work
			took = work
		}
		return at, missed
	}
	at, missed := collect(Options{Interval: ms, Count: 3}, ms/8)
	if !slices.Equal(at, []time.Duration{0, ms, 2 * ms}) || !slices.Equal(missed, []int{0, 0, 0}) {
		t.Errorf("at %v, missed %v", at, missed)
	}
	at, missed = collect(Options{Interval: ms, Count: 3}, ms/2)
	if !slices.Equal(at, []time.Duration{0, 2 * ms, 4 * ms}) || !slices.Equal(missed, []int{0, 1, 1}) {
		t.Errorf("at %v, missed %v", at, missed)
	}
	ended := -1
	at, missed = collect(Options{Interval: ms, Duration: 7 * ms, Ended: func(n int) { ended = n }}, ms)
	if !slices.Equal(at, []time.Duration{0, 4 * ms}) || !slices.Equal(missed, []int{0, 3}) || ended != 2 {
		t.Errorf("at %v, missed %v, %d at the end", at, missed, ended)
	}
}
