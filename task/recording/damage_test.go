package recording

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"stacksnap/task/damage"
)

// Recordings that were good before are read without a panic, in every test run: as
// files, and as records in a container whose sums are right.
func TestDamagedRecordings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	file, _ := write(t, samples(5, 3))
	records := payload(t, file)
	for range 1500 {
		if p, err := newReader(bytes.NewReader(stream(damage.Copy(r, records))), openStream); err == nil {
			readAll(t, p)
		}
		if p, err := newReader(bytes.NewReader(damage.Copy(r, file)), openStream); err == nil {
			readAll(t, p)
		}
	}
}
