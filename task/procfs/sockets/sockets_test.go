//go:build linux

package sockets

import (
	"fmt"
	"strings"
	"testing"
)

func TestSocketTables(t *testing.T) {
	files := map[string]string{
		"tcp": "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" +
			"   0: 00000000:07E8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 624 1 0 100 0 0 10 0\n" +
			"   1: 0100007F:D452 0100007F:01BB 01 00000000:00000000 00:00000000 00000000     0        0 625 1 0 100 0 0 10 0\n",
		"tcp6": "   0: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 626 1 0\n",
		"unix": "Num       RefCount Protocol Flags    Type St Inode Path\n" +
			"000000000544ec04: 00000003 00000000 00000000 0001 03  1072\n" +
			"000000000544ec04: 00000003 00000000 00000000 0001 03  1073 /run/x\n",
	}
	want := map[string]string{
		"624": "tcp socket listening at 0.0.0.0:2024", "625": "tcp socket 127.0.0.1:54354 to 127.0.0.1:443",
		"626": "tcp socket listening at [::1]:80", "1072": "unix socket:[1072]", "1073": "unix socket /run/x", "5": "",
	}
	for inode, name := range want {
		got := ""
		for _, table := range Tables {
			if s, ok := table.Find([]byte(files[table.Name]), inode); ok {
				got = s
			}
		}
		if got != name {
			t.Errorf("socket %s is %q, want %q", inode, got, name)
		}
	}
	if i, ok := Inode("socket:[12]"); i != "12" || !ok {
		t.Errorf("%q, %v", i, ok)
	}
}

func FuzzSockets(f *testing.F) {
	f.Add([]byte("   0: 00000000:07E8 00000000:0000 0A 0:0 0:0 0 0 0 624 1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, table := range Tables {
			table.Find(b, "624")
		}
		TCPPeers(b, b)
	})
}

// tableOf is as /proc/net/tcp is, of the addresses, states and inodes given.
func tableOf(rows ...[4]string) []byte {
	var b strings.Builder
	b.WriteString("  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n")
	for i, r := range rows {
		fmt.Fprintf(&b, "%4d: %s %s %s 00000000:00000000 00:00000000 00000000     0        0 %s 1 0000000000000000 20 4 30 10 -1\n", i, r[0], r[1], r[2], r[3])
	}
	return []byte(b.String())
}

// TestOtherSocket finds the one end of a connection that mirrors the other.
func TestOtherSockets(t *testing.T) {
	const a, b, c = "0100007F:1F90", "0100007F:A1B2", "0100007F:C3D4"
	const a6 = "0000000000000000FFFF00000100007F:1F90"
	for name, test := range map[string]struct {
		tables [][]byte
		want   string
	}{
		"both ends":       {[][]byte{tableOf([4]string{a, "00000000:0000", "0A", "6"}, [4]string{b, a, "01", "7"}, [4]string{c, a, "01", "9"}, [4]string{a, b, "01", "8"})}, "8"},
		"one for IPv6":    {[][]byte{tableOf([4]string{b, a, "01", "7"}), tableOf([4]string{a6, "0000000000000000FFFF00000100007F:A1B2", "01", "8"})}, "8"},
		"not accepted":    {[][]byte{tableOf([4]string{b, a, "01", "7"}, [4]string{a, b, "01", "0"})}, ""},
		"elsewhere":       {[][]byte{tableOf([4]string{b, a, "01", "7"})}, ""},
		"to itself":       {[][]byte{tableOf([4]string{a, a, "01", "7"})}, ""},
		"closing":         {[][]byte{tableOf([4]string{b, a, "01", "7"}, [4]string{a, b, "08", "8"})}, ""},
		"of another port": {[][]byte{tableOf([4]string{b, a, "01", "7"}, [4]string{a, c, "01", "8"})}, ""},
		"two of them":     {[][]byte{tableOf([4]string{b, a, "01", "7"}, [4]string{a, b, "01", "8"}, [4]string{a, b, "01", "9"})}, ""},
		"cut short":       {[][]byte{tableOf([4]string{b, a, "01", "7"}, [4]string{a, b, "01", "8"})[:300]}, ""},
	} {
		peers := TCPPeers(test.tables...)
		if got, ok := peers["7"]; got != test.want && ok || ok != (test.want != "") {
			t.Errorf("%s: %q, %t", name, got, ok)
		}
		if got, ok := peers["0"]; ok {
			t.Errorf("%s: %q is the other end of none", name, got)
		}
	}
}
