package jsondoc

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
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
	if len(d.DeadlockTimes) != len(d.Deadlocks) || d.DeadlockTimes[1] != (jsonDeadlockTime{5e8, 2e9, 4, true}) {
		t.Errorf("%+v", d.DeadlockTimes)
	}
	want := jsonWaited{jsonWait{Call: "futex", Lock: "mutex", Address: "0x7f0010", Owner: 102, OwnerName: "b"}, 20, false}
	if th := d.Threads[0]; th.Looks != 20 || len(th.Waits) != 1 || th.Waits[0] != want {
		t.Errorf("%d looks, %+v", th.Looks, th.Waits)
	}
}

// checkWait checks that a wait is written as want, and read back the same.
func checkWait(t *testing.T, w profile.Wait, want string) {
	t.Helper()
	b, err := json.Marshal(newJSONWait(&w))
	if err != nil || string(b) != want {
		t.Errorf("%s, %v, want %s", b, err, want)
	}
	var j jsonWait
	if err := json.Unmarshal(b, &j); err != nil {
		t.Fatal(err)
	}
	if again, err := j.wait(); err != nil || !reflect.DeepEqual(*again, w) {
		t.Errorf("%+v, %v", again, err)
	}
}

// TestVariableInJSON: a variable and an owner that is gone have keys of their own.
func TestVariableInJSON(t *testing.T) {
	w := profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: 0x5000, Variable: "bank+8", GoneOwner: 99,
		Gone: task.Outsider{Ended: true, Parent: 7, ParentName: "shop"}, Hung: 3}
	checkWait(t, w, `{"call":"futex","lock":"mutex","address":"0x5000","variable":"bank+8","gone_owner":99,"gone_owner_ended":true,"gone_owner_parent":7,"gone_owner_parent_name":"shop","hung":3}`)
}

// TestPeerInJSON: a peer may be the process itself.
func TestPeerInJSON(t *testing.T) {
	w := profile.Wait{Call: "read", Peer: profile.Peer{PID: 7, Name: "shop", Action: profile.Write, Self: true}}
	checkWait(t, w, `{"call":"read","peer":{"pid":7,"name":"shop","act":"write","self":true}}`)
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

func TestStalledInJSON(t *testing.T) {
	w := profile.Wait{Call: "epoll_wait", Stalled: &task.Stalled{State: task.NotTaken, Count: 2, Remote: "10.0.0.1:80", Since: time.Second, Unread: 98, PID: 7, Name: "up", Others: 1}}
	checkWait(t, w, `{"call":"epoll_wait","stalled":{"state":"not taken","count":2,"remote":"10.0.0.1:80","since_ns":1000000000,"unread":98,"pid":7,"name":"up","others":1}}`)
}

// TestSharedPeerInJSON: the process itself and another one both have the other end.
func TestSharedPeerInJSON(t *testing.T) {
	w := profile.Wait{Call: "read", Peer: profile.Peer{PID: 7, Name: "sleep", Action: profile.Write, AlsoSelf: true}}
	checkWait(t, w, `{"call":"read","peer":{"pid":7,"name":"sleep","act":"write","also_self":true}}`)
}
