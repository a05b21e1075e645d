package recording

// File is an image with the recorded answers of its file. It is immutable once the
// recording is open, and safe for concurrent use.
type File struct {
	Image
	symbols, starts, data, thumbs map[uint64]Answer // by Asked
	sources                       map[uint64][]Place
	sections                      map[string]*Section
}

// Symbol returns the recorded symbol at vmaddr. The Answer is not Found if it was
// never looked up.
func (f *File) Symbol(vmaddr uint64) Answer { return f.symbols[vmaddr] }

// FunctionStart returns the recorded start of the function that contains vmaddr. The
// Answer is not Found if it was never looked up.
func (f *File) FunctionStart(vmaddr uint64) Answer { return f.starts[vmaddr] }

// DataInCode returns the recorded first range of data that ends above vmaddr. The Answer is
// not Found if the range was not looked up while recording.
func (f *File) DataInCode(vmaddr uint64) Answer { return f.data[vmaddr] }

// Thumb returns the recorded instruction set of the function at vmaddr. The Answer is
// not Found if it was never looked up.
func (f *File) Thumb(vmaddr uint64) Answer { return f.thumbs[vmaddr] }

// Source returns the recorded source lines of vmaddr, nil if they were never looked
// up.
func (f *File) Source(vmaddr uint64) []Place { return f.sources[vmaddr] }

// Section returns the needed parts of a section. It reports false if the file has no
// section of that name, or it was never looked up.
func (f *File) Section(name string) (Section, bool) {
	s, ok := f.sections[name]
	if !ok {
		return Section{}, false
	}
	return *s, true
}

// Limits of all files together, against a recording made to exhaust memory.
const (
	maxImages = 1 << 18
	maxHeld   = 1 << 29 // bytes
	costMap   = 160     // approximate bytes of an entry in a map
	costImage = 1 << 10 // bytes of an image without its segments
	costPlace = 80      // bytes of a place without its names
)

// files has the recorded facts about all images.
type files struct {
	all  []*File
	held int // approximate bytes
}

func (fs *files) hold(n int) error {
	if fs.held += n; fs.held > maxHeld {
		return errTooBig
	}
	return nil
}

func (fs *files) file(n int) (*File, error) {
	if n >= len(fs.all) {
		return nil, errReused
	}
	return fs.all[n], nil
}

// learn adds what a record says about images. It ignores records of other kinds.
func (fs *files) learn(kind int, data []byte) error {
	switch kind {
	case 2:
		return fs.learnImage(data)
	case 4, 5, 15, 16:
		return fs.learnAnswer(kind, data)
	case 6:
		return fs.learnSection(data)
	case 14:
		return fs.learnSource(data)
	}
	return nil
}

func (fs *files) learnImage(data []byte) error {
	im, err := parseImage(data)
	if err != nil {
		return err
	}
	if len(fs.all) == maxImages {
		return errTooBig
	}
	fs.all = append(fs.all, &File{
		Image:    im,
		symbols:  map[uint64]Answer{},
		starts:   map[uint64]Answer{},
		data:     map[uint64]Answer{},
		thumbs:   map[uint64]Answer{},
		sources:  map[uint64][]Place{},
		sections: map[string]*Section{},
	})
	return fs.hold(costImage + len(data) + len(im.Segments)*costMap)
}

func (fs *files) learnAnswer(kind int, data []byte) error {
	a, err := parseAnswer(data)
	if err != nil {
		return err
	}
	f, err := fs.file(a.Image)
	if err != nil {
		return err
	}
	f.answers(kind)[a.Asked] = a
	return fs.hold(costMap + len(a.Name))
}

// answers returns the answers in records of a kind.
func (f *File) answers(kind int) map[uint64]Answer {
	switch kind {
	case 4:
		return f.symbols
	case 5:
		return f.starts
	case 15:
		return f.data
	}
	return f.thumbs
}

func (fs *files) learnSource(data []byte) error {
	s, err := parseSource(data)
	if err != nil {
		return err
	}
	f, err := fs.file(s.Image)
	if err != nil {
		return err
	}
	f.sources[s.Asked] = s.Places
	return fs.hold(costMap + len(s.Places)*costPlace + len(data))
}

func (fs *files) learnSection(data []byte) error {
	part, err := parseSection(data)
	if err != nil {
		return err
	}
	f, err := fs.file(part.Image)
	if err != nil {
		return err
	}
	s := f.sections[part.Name]
	if s == nil || part.Restart {
		s = &Section{Image: part.Image, Name: part.Name}
		f.sections[part.Name] = s
	}
	if part.Offset > len(s.Data) {
		return errReused
	}
	s.VMAddr, s.Error = part.VMAddr, part.Error
	n := copy(s.Data[part.Offset:], part.Data)
	s.Data = append(s.Data, part.Data[n:]...)
	return fs.hold(costMap + 2*len(part.Data) + len(part.Name) + len(part.Error))
}
