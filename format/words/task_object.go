package words

import (
	"fmt"
	"strings"

	"stacksnap/format/profile"
)

// taskObject returns a phrase with the object for which a number of tasks wait; "" if they wait for several, or if it
// is not known.
func taskObject(t *profile.Task, number int) string {
	o := t.On
	if o == nil {
		return ""
	}
	same := ""
	if number > 1 {
		same = "same "
	}
	if o.Kind != "chan" {
		return fmt.Sprintf(" for the %s%s at %v", same, Word(o.Kind, MaxText), o.Addr)
	}
	return fmt.Sprintf("%s the %schannel %v (len %d, cap %d)", channelWay(t.Wait), same, o.Addr, o.Len, o.Cap)
}

// channelWay returns how tasks wait for a channel.
func channelWay(wait string) string {
	if strings.HasPrefix(wait, "chan send") {
		return " to"
	}
	return " from"
}

// taskObjects describes the objects for which the tasks of an entry wait, and how many other tasks wait for the only
// one; "" if they are not known.
func taskObjects(t *profile.Task) string {
	switch o := t.On; {
	case o != nil && o.Waiters > t.Count:
		return taskObject(t, t.Count) + ", for which " + Plural(o.Waiters, TaskNoun(t.Runtime)) + " wait"
	case o != nil:
		return taskObject(t, t.Count)
	case t.Objects < 2:
		return ""
	case strings.HasPrefix(t.Wait, "chan "):
		return channelWay(t.Wait) + " " + Count(t.Objects) + " different channels"
	}
	return " for " + Count(t.Objects) + " different objects"
}
