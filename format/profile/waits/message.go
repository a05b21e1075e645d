package waits

import (
	"encoding/binary"
	"fmt"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// message is what a call of mach_msg sends and receives.
type message struct {
	options uint64
	remote  uint32 // the port to send to; 0 if unknown
	local   uint32 // the port to receive from
	id      int32  // id of the message to send
}

// The fields of mach_msg_header_t (osfmk/mach/message.h).
const (
	messageRemote = 8
	messageID     = 20
	messageSize   = 24
)

// message returns the arguments of mach_msg. The header of a message to send is read from
// the copied stack, where most are. The arguments of mach_msg2 have the header's fields in
// pairs, the first in the lower half (libsyscall, mach/mach_msg.c; MACH_MSG2_SHIFT_ARGS,
// osfmk/mach/message.h).
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

// machMessage describes the wait of a thread in mach_msg. A thread that sends waits first
// for room in the port's queue; its registers do not show whether it has got it.
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

// sent returns a phrase with the destination and id of a message. Routines of MIG differ by
// the id.
func (m *message) sent() string {
	if m.remote == 0 {
		return ""
	}
	return fmt.Sprintf(" (id %d) to port %#x", m.id, m.remote)
}
