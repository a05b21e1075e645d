package notation

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"stacksnap/format/profile"
	"stacksnap/images/dyld"
	"stacksnap/task"
	"strconv"
	"strings"
)

// BinaryImages is the title of the list of images. NoBinaryImages replaces the list
// if no image is known.
const (
	BinaryImages   = "Binary Images:"
	NoBinaryImages = "Binary images description not available"
)

// ImageLine returns the line of an image in the list. The range ends with the last
// byte of the code. A plus sign marks images that are not Apple's.
func ImageLine(os task.OS, im *profile.Image) string {
	last := im.End
	if last > im.Load {
		last--
	}
	name := ImageIdentifier(im)
	origin := "+"
	if os == task.Darwin && (dyld.IsApples(im.Path) || strings.HasPrefix(name, "com.apple.")) {
		origin = " "
	}
	return fmt.Sprintf("%18v - %18v %s%s (%s) <%s> %s", im.Load, last, origin, name, ImageVersion(im), ImageID(os, im.ID), Plain(im.Path))
}

// ImageIdentifier returns the name of an image in the list: its bundle's identifier,
// or else its file name.
func ImageIdentifier(im *profile.Image) string {
	if im.Bundle.ID != "" {
		return Process(im.Bundle.ID)
	}
	return Process(strings.Trim(im.Name(), "[]")) // readers accept only letters and dots there
}

// ImageVersion returns the version and build of an image, as "1.2 - 34". If only one
// is known, it is just that one; if neither is, it is ???.
func ImageVersion(im *profile.Image) string {
	return versions(im, " - ", "")
}

// versions joins the version of an image and its build.
func versions(im *profile.Image, before, after string) string {
	v := &im.Bundle
	switch {
	case v.Version == "" && v.Build == "":
		return Unknown
	case v.Version == "" || v.Build == "":
		return Plain(v.Version + v.Build)
	}
	return Plain(v.Version) + before + Plain(v.Build) + after
}

// NoID is the UUID of an image that has none.
const NoID = "00000000-0000-0000-0000-000000000000"

// ImageID formats a UUID in groups and upper case, or a build-id as hexadecimal digits.
func ImageID(os task.OS, id []byte) string {
	const uuidSize = 16
	if len(id) == 0 {
		return NoID
	}
	s := hex.EncodeToString(id[:min(len(id), 64)])
	if os != task.Darwin || len(id) != uuidSize {
		return s
	}
	s = strings.ToUpper(s)
	return strings.Join([]string{s[:8], s[8:12], s[12:16], s[16:20], s[20:]}, "-")
}

// ParseImage reads a line of the list:
//
//	0x102a50000 - 0x102dc719f +org.example.tray (1.2 - 34) <UUID> /Applications/Tray.app/…
func ParseImage(line string) (*profile.Image, bool) {
	first, rest, _ := strings.Cut(strings.TrimSpace(line), " - ")
	last, rest, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	load, err := strconv.ParseUint(first, 0, 64)
	end, endErr := strconv.ParseUint(last, 0, 64)
	if err != nil || endErr != nil || end < load || end+1 == 0 {
		return nil, false
	}
	im := &profile.Image{Load: task.Addr(load), End: task.Addr(end) + 1}
	name := strings.TrimPrefix(strings.TrimSpace(rest), "+")
	head, path, found := strings.Cut(name, "> ")
	if i := strings.LastIndex(head, " <"); found && i >= 0 {
		im.ID = ParseID(head[i+2:])
		name, im.Path = strings.TrimSpace(head[:i]), path
	} else {
		name, im.Path = cutPath(name)
	}
	im.Bundle.ID, im.Bundle.Version, im.Bundle.Build = parseImageVersion(name)
	if im.Path == "" {
		im.Path = im.Bundle.ID
	}
	if im.Bundle.ID == im.Name() {
		im.Bundle.ID = ""
	}
	return im, true
}

// ParseID parses a UUID or a build-id. It returns nil if s is neither.
func ParseID(s string) []byte {
	id, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	if err != nil || s == "" || s == NoID {
		return nil
	}
	return id
}

// cutPath splits a path from the version before it, in the line of an image without a
// UUID.
func cutPath(s string) (name, path string) {
	for i := range s {
		if s[i] != ')' {
			continue
		}
		if rest := strings.TrimLeft(s[i+1:], " "); strings.HasPrefix(rest, "/") {
			return s[:i+1], rest
		}
	}
	if i := strings.Index(s, " /"); i > 0 {
		return strings.TrimSpace(s[:i]), s[i+1:]
	}
	return s, ""
}

// parseImageVersion parses a name followed by a version and a build. Images without a
// version may have such a name, too. ??? is an unknown version.
func parseImageVersion(s string) (name, version, build string) {
	open := strings.LastIndex(s, " (")
	if open < 0 || !strings.HasSuffix(s, ")") {
		return s, "", ""
	}
	version, build, _ = strings.Cut(s[open+2:len(s)-1], " - ")
	if version == Unknown && build == "" {
		version = ""
	}
	return s[:open], version, build
}

// ByAddress compares images by load address, then by path.
func ByAddress(a, b *profile.Image) int {
	return cmp.Or(cmp.Compare(a.Load, b.Load), strings.Compare(a.Path, b.Path))
}

// SortedByAddress returns a sorted copy of a list of images.
func SortedByAddress(list []*profile.Image) []*profile.Image {
	return slices.SortedStableFunc(slices.Values(list), ByAddress)
}

// ImageAt returns the image that contains an address, nil if there is none. list is
// sorted by address.
func ImageAt(list []*profile.Image, pc task.Addr) *profile.Image {
	i, found := slices.BinarySearchFunc(list, pc, func(im *profile.Image, pc task.Addr) int { return cmp.Compare(im.Load, pc) })
	if !found {
		i--
	}
	if i >= 0 && pc < list[i].End {
		return list[i]
	}
	return nil
}
