package pick

import "testing"

func TestUserName(t *testing.T) {
	for id, want := range map[int]string{-1: "?", 0: "root", 4294967290: "4294967290"} {
		if got := UserName(id); got != want {
			t.Errorf("%d: %s, want %s", id, got, want)
		}
	}
}
