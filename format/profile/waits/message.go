package waits

import (
	"encoding/binary"
	"fmt"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// message is what a thread in one of the calls of mach_msg is about.
type message struct {
	options uint64
	remote  uint32 // the port that is sent to; 0 when not known
	local   uint32 // the port that is received from
	id      int32  // of the message that is sent
}

// The fields of mach_msg_header_t (osfmk/mach/message.h).
const (
	messageRemote = 8
	messageID     = 20
	messageSize   = 24
)

// message reads the arguments of mach_msg, and the header of the message that is
// sent out of the copied stack, where most are; those of mach_msg2 have the
// header's fields in pairs, the first in the lower half (libsyscall,
// mach/mach_msg.c; MACH_MSG2_SHIFT_ARGS, osfmk/mach/message.h).
func (c *call) message(t *task.Thread) message {
	a := &c.Args
	if c.shape == machMessage2 {
		return message{a[1], uint32(a[3]), uint32(a[5] >> 32), int32(a[4] >> 32)}
	}
	m := message{options: a[1], local: uint32(a[4])}
	var b [messageSize]byte
	if n, _ := t.ReadMemory(b[:], task.Addr(a[0])); n == len(b) {
		m.remote = binary.LittleEndian.Uint32(b[messageRemote:])
		m.id = int32(binary.LittleEndian.Uint32(b[messageID:]))
	}
	return m
}

// machMessage says what a thread in mach_msg waits for. One that sends waits for
// room in the port's queue first, and the registers do not show whether it is
// past that.
func (f *Finder) machMessage(w *profile.Wait, c *call, t *task.Thread) {
	m := c.message(t)
	sends, receives := m.options&sendMessage != 0, m.options&receiveMessage != 0
	switch {
	case sends && receives:
		w.Object = "the reply" + m.port() + " to a message" + m.sent()
	case sends:
		w.Object = "room for a message" + m.sent()
	case m.options&syncWait != 0:
		w.Object = "the reply" + m.port() + " to a message that it sent"
	case f.awaitsReply(c.frames):
		w.Object = "the reply" + m.port() + " to a message that it sent by a CFMessagePort"
	case m.local != 0:
		w.Object, w.Receives = fmt.Sprintf("a message on port %#x", m.local), true
	}
}

func (m *message) port() string {
	if m.local == 0 {
		return ""
	}
	return fmt.Sprintf(" on port %#x", m.local)
}

// sent says where the message goes, with its id, by which MIG's routines differ.
func (m *message) sent() string {
	if m.remote == 0 {
		return ""
	}
	return fmt.Sprintf(" (id %d) to port %#x", m.id, m.remote)
}
