package jsondoc

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

func TestWaitsInJSON(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, report.Of(fixtures.SampledWaiters()), words.Options{}); err != nil {
		t.Fatal(err)
	}
	var d jsonDocument
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Stood) != len(d.Deadlocks) || d.Stood[1] != (jsonStood{5e8, 2e9, 4, true}) {
		t.Errorf("%+v", d.Stood)
	}
	want := jsonWaited{jsonWait{Call: "futex", Lock: "mutex", Address: "0x7f0010", Owner: 102, OwnerName: "b"}, 20, false}
	if th := d.Threads[0]; th.Looks != 20 || len(th.Waits) != 1 || th.Waits[0] != want {
		t.Errorf("%d looks, %+v", th.Looks, th.Waits)
	}
}

func TestHangLine(t *testing.T) {
	for _, r := range fixtures.Hangs() {
		var b bytes.Buffer
		if err := Write(&b, report.OfHang(r), words.Options{}); err != nil {
			t.Fatal(err)
		}
		var got jsonHang
		if err := json.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		want := newHang(report.OfHang(r))
		for _, th := range r.Profile.Threads {
			want.Profile.Threads = append(want.Profile.Threads, newJSONThread(th, imageIndexes(r.Profile)))
		}
		if bytes.Count(b.Bytes(), []byte("\n")) != 1 || !reflect.DeepEqual(&got, want) {
			t.Errorf("%s", b.Bytes())
		}
	}
}
