package mach

import (
	"testing"
)

// scriptedShots is what a scripted kernel answers to those who want stackshots.
type scriptedShots struct {
	// The script.
	lacks    string  // the one function that its libraries do not have
	noConfig bool    // there is no memory for a config
	answers  []Errno // of one capture after the other, ok when there are no more
	roomFor  uint32  // the hint below which a capture answers ENOSPC
	shot     []byte  // what is captured

	// The accounts.
	shots   []shotAsked
	config  shotAsked
	configs int // not freed
	buffer  []byte
	buffers int // not dropped
	drops   int
}

// shotAsked is how a stackshot was asked for.
type shotAsked struct {
	pid   int
	flags uint64
	since uint64
	hint  uint32
}

const testConfig shotConfig = 77

func (s *scriptedShots) balanceShots(t *testing.T) {
	t.Helper()
	if s.configs != 0 || s.buffers != 0 {
		t.Errorf("%d configs and %d buffers of stackshots left", s.configs, s.buffers)
	}
}

func (s *scripted) exports(function string) bool { return !s.enter("dlsym") && function != s.lacks }

func (s *scripted) newShot() (shotConfig, Errno) {
	if e := s.enterBSD("stackshot_config_create"); e != ok || s.noConfig {
		return 0, max(e, noMemory)
	}
	s.configs++
	return testConfig, ok
}

// enterShot is enterBSD for calls on a config, which has to be one.
func (s *scripted) enterShot(call string, c shotConfig) Errno {
	if s.configs != 1 || c != testConfig {
		panic(call + " on what is no config")
	}
	return s.enterBSD(call)
}

func (s *scripted) shotPID(c shotConfig, pid int) Errno {
	s.config.pid = pid
	return s.enterShot("stackshot_config_set_pid", c)
}

func (s *scripted) shotFlags(c shotConfig, flags uint64) Errno {
	s.config.flags = flags
	return s.enterShot("stackshot_config_set_flags", c)
}

func (s *scripted) shotHint(c shotConfig, size uint32) Errno {
	s.config.hint = size
	return s.enterShot("stackshot_config_set_size_hint", c)
}

func (s *scripted) shotSince(c shotConfig, time uint64) Errno {
	s.config.since = time
	return s.enterShot("stackshot_config_set_delta_timestamp", c)
}

// captureShot answers as libsyscall and XNU do: EINVAL while there is a buffer, ENOTSUP
// for what is not kcdata, EINVAL for a time without the flag of a delta, EPERM for who is
// not root; and a failure forgets the hint.
func (s *scripted) captureShot(c shotConfig) Errno {
	e := s.enterShot("stackshot_capture_with_config", c)
	asked := s.config
	s.shots = append(s.shots, asked)
	switch {
	case e != ok:
	case s.buffers > 0, asked.since != 0 && asked.flags&0x40000 == 0:
		e = invalid
	case s.euid != 0:
		e = notPermitted
	case asked.flags&0x10000 == 0:
		e = notSup
	case len(s.answers) > 0:
		e, s.answers = s.answers[0], s.answers[1:]
	case asked.hint < s.roomFor:
		e = tooSmall
	}
	if e != ok {
		s.config.hint = 0
		return e
	}
	s.buffer, s.buffers = append([]byte(nil), s.shot...), s.buffers+1
	return ok
}

func (s *scripted) shotBuffer(c shotConfig) []byte {
	if s.enterShot("stackshot_config_get_stackshot_buffer", c) != ok || s.buffers == 0 {
		return nil
	}
	return s.buffer
}

// dropShot spoils the buffer, for those who still look at it.
func (s *scripted) dropShot(c shotConfig) Errno {
	e := s.enterShot("stackshot_config_dealloc_buffer", c)
	clear(s.buffer)
	s.buffer, s.config.hint = nil, 0
	s.buffers--
	s.drops++
	return e
}

func (s *scripted) freeShot(c shotConfig) Errno {
	e := s.enterShot("stackshot_config_dealloc", c)
	s.configs--
	return e
}
