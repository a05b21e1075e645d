package task

// QoS is the quality of service that a thread asks for; macOS.
type QoS uint8

// The classes, from the least to the most urgent (sys/qos.h).
const (
	UnknownQoS QoS = iota
	Maintenance
	Background
	Utility
	Default
	UserInitiated
	UserInteractive
)

var qosNames = [...]string{"", "maintenance", "background", "utility", "default", "user-initiated", "user-interactive"}

// String returns the class's name as Apple's tools write it in lower case, empty
// for the unknown one.
func (q QoS) String() string {
	if int(q) >= len(qosNames) {
		return ""
	}
	return qosNames[q]
}

// Priority is how urgent the kernel takes a thread for; macOS. The zero value is
// unknown: no thread of a user's has priority 0.
type Priority struct {
	Now  int // what it is scheduled by at present
	Base int // what it has by its own policy
}
