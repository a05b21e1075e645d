package apple

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/images/dyld"
	"stacksnap/task"
)

// binaryImages is the line above the images.
const binaryImages = "Binary Images:"

// images lists the files. The end is that of the code, its last byte. A plus sign is
// before those that are not Apple's.
func (s *sampleWriter) images() {
	listed := slices.DeleteFunc(slices.Clone(s.profile.Images), func(im *profile.Image) bool { return !im.Placed() })
	s.line("")
	if len(listed) == 0 {
		s.line("Binary images description not available")
		return
	}
	s.line(binaryImages)
	for _, im := range listed {
		s.line("%s", imageLine(s.profile.Target.OS, im))
	}
}

func imageLine(os task.OS, im *profile.Image) string {
	last := im.End
	if last > im.Load {
		last--
	}
	name := imageIdentifier(im)
	origin := "+"
	if os == task.Darwin && (dyld.IsApples(im.Path) || strings.HasPrefix(name, "com.apple.")) {
		origin = " "
	}
	return fmt.Sprintf("%18v - %18v %s%s (%s) <%s> %s", im.Load, last, origin, name, imageVersion(im), imageID(os, im.ID), plain(im.Path))
}

// imageIdentifier is how a list names an image: as its maker does, or else by its file.
func imageIdentifier(im *profile.Image) string {
	if im.Bundle.ID != "" {
		return process(im.Bundle.ID)
	}
	return process(strings.Trim(im.Name(), "[]")) // readers know letters and dots there
}

// imageVersion is the version of an image for people, and that of its build.
func imageVersion(im *profile.Image) string {
	v := &im.Bundle
	switch {
	case v.Version == "" && v.Build == "":
		return unknownSymbol
	case v.Build == "":
		return plain(v.Version)
	case v.Version == "":
		return plain(v.Build)
	}
	return plain(v.Version) + " - " + plain(v.Build)
}

// noID is what Apple's reports have for an image without a UUID.
const noID = "00000000-0000-0000-0000-000000000000"

// imageID is a UUID in groups and upper case, or a build-id.
func imageID(os task.OS, id []byte) string {
	const uuidSize = 16
	if len(id) == 0 {
		return noID
	}
	s := hex.EncodeToString(id[:min(len(id), 64)])
	if os != task.Darwin || len(id) != uuidSize {
		return s
	}
	s = strings.ToUpper(s)
	return strings.Join([]string{s[:8], s[8:12], s[12:16], s[16:20], s[20:]}, "-")
}

// parseImage reads a line of the list:
//
//	0x102a50000 - 0x102dc719f +org.example.tray (1.2 - 34) <UUID> /Applications/Tray.app/…
func parseImage(line string) (*profile.Image, bool) {
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
		im.ID = parseID(head[i+2:])
		name, im.Path = strings.TrimSpace(head[:i]), path
	} else {
		name, im.Path = cutPath(name)
	}
	im.Bundle.ID, im.Bundle.Version, im.Bundle.Build = parseVersion(name)
	if im.Path == "" {
		im.Path = im.Bundle.ID
	}
	if im.Bundle.ID == im.Name() {
		im.Bundle.ID = ""
	}
	return im, true
}

// parseID reads a UUID or a build-id, nil where there is none.
func parseID(s string) []byte {
	id, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	if err != nil || s == "" || s == noID {
		return nil
	}
	return id
}

// cutPath cuts a path from behind a version: of an image that has no UUID.
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

// parseVersion reads a name with a version and a build behind it. What has none is
// written so as well, and ??? is what is not known.
func parseVersion(s string) (name, version, build string) {
	open := strings.LastIndex(s, " (")
	if open < 0 || !strings.HasSuffix(s, ")") {
		return s, "", ""
	}
	version, build, _ = strings.Cut(s[open+2:len(s)-1], " - ")
	if version == unknownSymbol && build == "" {
		version = ""
	}
	return s[:open], version, build
}
