package macho

import (
	"bytes"
	"fmt"
	"sync"

	"stacksnap/task"
)

// firstRead is how many bytes of an image are read at once: at least a header, never
// across the end of a page, and usually all load commands.
const firstRead = 4096

// FromMemory reads the image whose header is mapped at load.
//
// open, which may be nil, opens the image's own file, for symbols that memory lacks.
// The result is used only if its UUID matches; the File closes it.
func FromMemory(mem task.Memory, load task.Addr, open func(Want) (*File, error)) (*File, error) {
	h, b, err := readHeader(mem, load)
	if err != nil {
		return nil, fmt.Errorf("Mach-O header at %v: %w", load, err)
	}
	cmds, err := parseCommands(&h, b)
	if err != nil {
		return nil, fmt.Errorf("load commands at %v: %w", load, err)
	}
	text, ok := cmds.text()
	if !ok {
		return nil, fmt.Errorf("image at %v: %w", load, malformed("no __TEXT"))
	}
	src := &memorySource{mem: mem, slide: uint64(load) - text.VMAddr}
	src.linkedit, _ = cmds.segment("__LINKEDIT")
	f := newFile(h, cmds, src)
	f.slide = src.slide
	if !f.InSharedCache() {
		f.raw = b
	}
	f.onDisk = sync.OnceValue(func() *File { return f.openDisk(open) })
	return f, nil
}

// readHeader returns the header and the bytes of the load commands.
func readHeader(mem task.Memory, load task.Addr) (header, []byte, error) {
	b := make([]byte, firstRead-int(load%firstRead))
	if len(b) < headerSize64 {
		b = make([]byte, headerSize64)
	}
	n, readErr := mem.ReadMemory(b, load)
	if n < headerSize32 {
		return header{}, nil, task.ReadFull(mem, b[:headerSize32], load)
	}
	h, err := parseHeader(b[:n])
	if err != nil {
		return h, nil, err
	}
	have := b[min(h.size(), n):n]
	if uint64(len(have)) >= uint64(h.sizeofcmds) {
		return h, have[:h.sizeofcmds], nil
	}
	if readErr != nil {
		return h, nil, readErr
	}
	rest, err := readAll(uint64(h.sizeofcmds)-uint64(len(have)), func(p []byte, at uint64) (int, error) {
		return mem.ReadMemory(p, load+task.Addr(n)+task.Addr(at))
	})
	return h, append(bytes.Clone(have), rest...), err
}

// MappedFile returns the image's own file if it certainly is the one that was mapped:
// its load commands are equal, byte for byte, so that neither symbols were stripped
// nor anything moved since. Its read-only segments are then the same as in memory. It
// returns nil for another or an encrypted file, and for images of the shared cache.
// The caller must not close it.
func (f *File) MappedFile() *File {
	if f.raw == nil || f.encrypted {
		return nil
	}
	disk := f.onDisk()
	if disk == nil || disk.header != f.header {
		return nil
	}
	raw := make([]byte, len(f.raw))
	if n, _ := disk.src.readLinkEdit(raw, uint64(disk.size())); n < len(raw) || !bytes.Equal(raw, f.raw) {
		return nil
	}
	return disk
}

// openDisk opens the image's file and keeps it if the UUID matches.
func (f *File) openDisk(open func(Want) (*File, error)) *File {
	if open == nil || f.uuid == nil {
		return nil
	}
	disk, err := open(Want{Arch: f.Arch(), ID: f.uuid})
	if err != nil {
		return nil
	}
	if !bytes.Equal(disk.uuid, f.uuid) {
		disk.Close()
		return nil
	}
	disk.Limit(f.cost.budget)
	f.closing.Lock()
	defer f.closing.Unlock()
	f.closer = disk
	return disk
}
