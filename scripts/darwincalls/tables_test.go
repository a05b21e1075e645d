package main

import (
	"slices"
	"strings"
	"testing"
)

const bsdTable = `; 7	AUE_NULL	ALL	{ int comment(void); }
0	AUE_NULL	ALL	{ int nosys(void); }   { indirect syscall }
3	AUE_NULL	ALL	{ user_ssize_t read(int fd, user_addr_t cbuf, user_size_t nbyte); }
#if SOCKETS
4	AUE_X	ALL	{ int sys_connect_nocancel(int s) NO_SYSCALL_STUB; }
#else
4	AUE_NULL	ALL	{ int nosys(void); }
#endif
6     AUE_SEMWAITSIGNAL       ALL     { int __semwait_signal(int cond_sem, int mutex_sem); }
`

const trapTable = `/* 0 */ MACH_TRAP(kern_invalid, 0, 0, NULL),
/* 2 */ MACH_TRAP(mach_msg2_trap, 8, 16, munge_llllllll),
/* 3 */ MACH_TRAP(pfz_exit, 0, 0, NULL),
`

func TestNames(t *testing.T) {
	if got, want := bsdNames([]byte(bsdTable)), []string{"", "", "", "read", "connect", "", "__semwait_signal"}; !slices.Equal(got, want) {
		t.Errorf("BSD calls: %q, want %q", got, want)
	}
	if got, want := trapNames([]byte(trapTable)), []string{"", "", "mach_msg2", "pfz_exit"}; !slices.Equal(got, want) {
		t.Errorf("traps: %q, want %q", got, want)
	}
}

func TestTheFileNamesTheRelease(t *testing.T) {
	source, err := write("xnu-1.2.3", []string{"", "exit"}, []string{"x"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"from xnu-1.2.3. DO NOT EDIT.", `1: "exit"`, `0: "x"`} {
		if !strings.Contains(string(source), want) {
			t.Errorf("no %q in\n%s", want, source)
		}
	}
}
