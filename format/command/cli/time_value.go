package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// timeValue is a duration as the value of a flag.
type timeValue struct {
	to      *time.Duration
	seconds bool // a number without a unit is in seconds; else it is refused
}

// errNoTime is returned for a text that is no duration.
var errNoTime = errors.New("is not a time: give a number with its unit, such as 10s or 250ms")

// String returns the duration with its units.
func (v *timeValue) String() string { return v.to.String() }

// Type returns the name of the type, for pflag.
func (v *timeValue) Type() string { return "duration" }

// Set parses a duration. An error is a phrase for after the value, such as "is not a
// time".
func (v *timeValue) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err == nil {
		*v.to = d
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsNaN(n) || math.Abs(n*float64(time.Second)) >= math.MaxInt64:
		return errNoTime
	case !v.seconds:
		return withoutUnit(text)
	}
	*v.to = time.Duration(n * float64(time.Second))
	return nil
}

// withoutUnit returns the error for a number without a unit. It proposes units unless the
// number is in a form that no unit may follow, such as 1e3.
func withoutUnit(number string) error {
	if _, err := time.ParseDuration(number + "s"); err != nil {
		return errNoTime
	}
	return fmt.Errorf("has no unit: give %sms or %ss", number, number)
}
