package cfi

import (
	"math/rand/v2"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/damage"
	"stacksnap/unwind/rule"
)

// Sections that were good before are read without a panic, in every test run.
func TestDamagedSections(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	b := builder{eh: true}
	cie := b.cie("zPLRS", []byte{encUData4 | encDataRel, 1, 2, 3, 4, 0x1b, encSData4 | encPCRel}, standard...)
	fde := 0x5000 + uint64(b.fde(cie, 0x1000, 0x100, rules[0].program...))
	header := hdr(0x1000, fde).Data
	for range 20_000 {
		im := &file{arch: task.AMD64, sections: map[object.Kind]object.Section{
			object.EHFrame:    {VMAddr: 0x5000, Data: damage.Copy(r, b.b)},
			object.EHFrameHdr: {VMAddr: 0x4000, Data: damage.Copy(r, header)},
		}}
		found, err := new(Source).Rule(query(im, 0x1010))
		if err != nil {
			continue
		}
		var s rule.State
		s.Reset(fuzzThread(im.arch, b.b))
		_ = s.Apply(&found)
	}
}
