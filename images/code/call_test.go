package code

import (
	"testing"

	"stacksnap/task"
)

func TestCallTarget(t *testing.T) {
	const pc = 0x1_0000_1000
	for name, test := range map[string]struct {
		arch task.Arch
		code []byte
		want task.Addr // 0: it does not say
	}{
		"forward":            {task.AMD64, []byte{0x90, 0xe8, 0x10, 0, 0, 0}, pc + 0x10},
		"backward":           {task.AMD64, []byte{0xe8, 0xf0, 0xff, 0xff, 0xff}, pc - 0x10},
		"in 4 GB":            {task.I386, []byte{0xe8, 0x10, 0, 0, 0}, 0x1010},
		"no call":            {task.AMD64, []byte{0xe9, 0x10, 0, 0, 0}, 0},
		"cut":                {task.AMD64, []byte{0x10, 0, 0, 0}, 0},
		"bl":                 {task.ARM64, []byte{0x04, 0, 0, 0x94}, pc - 4 + 0x10},
		"bl backward":        {task.ARM64, []byte{0xff, 0xff, 0xff, 0x97}, pc - 8},
		"b":                  {task.ARM64, []byte{0x04, 0, 0, 0x14}, 0},
		"bl, cut":            {task.ARM64, []byte{0, 0, 0x94}, 0},
		"of an arm32 target": {task.ARM, []byte{0x04, 0, 0, 0x94, 0x94}, 0},
	} {
		target, ok := CallTarget(test.arch, test.code, pc)
		if ok != (test.want != 0) || ok && target != test.want {
			t.Errorf("%s: %v, %t; want %v", name, target, ok, test.want)
		}
	}
}
