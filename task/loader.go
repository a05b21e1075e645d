package task

// LoaderTeller is a live [Process] that can be asked again where its loader
// describes what it has loaded: dyld moves that while a program starts, and a
// process that was just started has none.
type LoaderTeller interface {
	// Loader returns where the description is now ([Info].LoaderInfo), and the size
	// of pointers in it. The address is 0 as long as the loader has not told it.
	Loader() (a Addr, pointerSize int, err error)
}
