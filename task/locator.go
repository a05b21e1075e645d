package task

// Locator is a live [Process] whose map is asked about place by place, because a
// listing takes a question for each of its regions. Its Regions have no paths.
type Locator interface {
	// RegionAt returns the region that an address lies in, or the next above it,
	// false when there is none, without its path.
	RegionAt(Addr) (Region, bool, error)
	// PathAt returns the path of the file that is mapped at an address; empty when
	// there is none, or the system does not tell.
	PathAt(Addr) string
}
