package jsondoc

import (
	"strings"
	"testing"
)

// TestMarshalerUsesItsMemoryAgain: threads are written one by one, so the memory for one is enough.
func TestMarshalerUsesItsMemoryAgain(t *testing.T) {
	m := newMarshaler("", "  ")
	value := []string{strings.Repeat("long ", 10_000), "<b>"}
	first, err := m.marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if want := "[\n  \"" + value[0] + "\",\n  \"<b>\"\n]"; string(first) != want {
		t.Errorf("%d bytes, want %d", len(first), len(want))
	}
	room := m.out.Cap()
	for range 10 {
		if _, err := m.marshal(value); err != nil {
			t.Fatal(err)
		}
	}
	if m.out.Cap() != room {
		t.Errorf("room for %d bytes, after %d", m.out.Cap(), room)
	}
	if short, err := m.marshal(1); string(short) != "1" || err != nil {
		t.Errorf("%s, %v", short, err)
	}
}
