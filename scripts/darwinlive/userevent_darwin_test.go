//go:build darwinlive

package darwinlive

// userEvents has nothing to do on a Mac.
type userEvents struct{}

func watchUserEvents() userEvents { return userEvents{} }

func (userEvents) end() int { return 0 }
