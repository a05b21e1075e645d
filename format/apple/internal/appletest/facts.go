package appletest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// registers matches lines with the processor's state in a crash report, which the
// model does not hold.
var registers = regexp.MustCompile(`^(Thread \d+ crashed with |Logical CPU|Error Code|Trap Number|External Modification|VM Region Summary|System Profile|Translated Code)`)

// number matches an address, with any leading zeros.
var number = regexp.MustCompile(`\b0x0*([0-9a-fA-F]+)\b`)

// bases matches a location in reports by third parties, which has the load address
// and a symbol; marked matches their marks of images; hexadecimal matches an offset
// in hexadecimal. The others match a frame without an image, which has only an
// address, and an empty name.
var (
	bases       = regexp.MustCompile(`0x[0-9a-f]+ \+ (?:0x[0-9a-f]+ // (.* \+ 0x[0-9a-f]+)|[0-9]+ \((.* \+ [0-9]+)\))$`)
	marked      = regexp.MustCompile(`^([0-9]+) (?:\+ )?(.*?)(?: \(\*\))? (0x[0-9a-f]+ )`)
	noPlace     = regexp.MustCompile(`^([0-9]+ \?\?\? 0x[0-9a-f]+ ).*`)
	nameless    = regexp.MustCompile(`^Thread \d+ name:\s*$`)
	hexadecimal = regexp.MustCompile(` \+ 0x([0-9a-f]+)$`)
)

// textFact converts a line to the form of Apple's own reports.
func textFact(line string) string {
	line = strings.ToLower(number.ReplaceAllString(strings.Join(strings.Fields(line), " "), "0x$1"))
	line = marked.ReplaceAllString(bases.ReplaceAllString(line, "$1$2"), "$1 $2 $3")
	line = strings.ReplaceAll(noPlace.ReplaceAllString(line, "$1"), "<(null)>", "<"+strings.Repeat("0", 32)+">")
	return hexadecimal.ReplaceAllStringFunc(line, func(s string) string {
		n, _ := strconv.ParseUint(s[len(" + 0x"):], 16, 64)
		return fmt.Sprintf(" + %d", n)
	})
}

// CrashFacts returns the lines of a crash report by which two reports are compared: those up to the
// end of the lists of images, without the registers.
func CrashFacts(text string) (facts []string) {
	section, listed := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		images := strings.HasPrefix(line, "Binary Images")
		switch {
		case line == "":
			section = ""
			continue
		case images:
			listed, section = true, "images"
		case registers.MatchString(line), listed && section == "":
			section = "out"
		case strings.HasPrefix(line, "Thread ") || strings.HasPrefix(line, "Last Exception Backtrace") || strings.HasPrefix(line, "Application Specific Backtrace"):
			section = line
		}
		if section != "out" && !nameless.MatchString(line) {
			facts = append(facts, textFact(line))
		}
	}
	return facts
}

// IPSFacts returns the values in an .ips file, each with its path in the document.
// Frames have the image itself instead of its index.
func IPSFacts(text string) (facts []string) {
	head, body, _ := strings.Cut(text, "\n")
	var header, payload map[string]any
	_ = json.Unmarshal([]byte(head), &header)
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	_ = d.Decode(&payload)
	images, _ := payload["usedImages"].([]any)
	imageOf := func(n any) any {
		var i int
		if _, err := fmt.Sscan(fmt.Sprint(n), &i); err != nil || i < 0 || i >= len(images) {
			return n
		}
		im, _ := images[i].(map[string]any)
		return fmt.Sprint(im["uuid"], im["base"])
	}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for key, below := range v {
				if key == "imageIndex" {
					below = imageOf(below)
				}
				walk(path+"."+key, below)
			}
		case []any:
			for i, below := range v {
				at := fmt.Sprintf("%s[%d]", path, i)
				if path == ".usedImages" {
					im, _ := below.(map[string]any)
					at = fmt.Sprint(path, im["uuid"], im["base"])
				}
				walk(at, below)
			}
		default:
			facts = append(facts, fmt.Sprintf("%s = %v", path, v))
		}
	}
	walk("header", header)
	walk("", payload)
	slices.Sort(facts)
	return facts
}
