package task

// NotedImage is an image that a saved process lists beside its memory: what is
// left to go by where the loader's own list, or an image's header, was not
// saved.
type NotedImage struct {
	Path     string
	ID       []byte // LC_UUID or build-id; nil when not known
	Load     Addr   // of the file's first byte; 0 when not known
	Slide    uint64 // with HasSlide: address − vmaddr, modulo 2^64
	HasSlide bool
	Main     bool // the program itself
	// Segments are where the loader put each, by its name in the file; empty when
	// all of them have the same slide.
	Segments []NotedSegment
}

// NotedSegment is a segment's place in the target.
type NotedSegment struct {
	Name string
	Addr Addr
}

// Noter is a saved [Process] that may list images of its own.
type Noter interface {
	NotedImages() []NotedImage
}
