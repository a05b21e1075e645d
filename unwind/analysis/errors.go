package analysis

import (
	"errors"
	"fmt"

	"stacksnap/unwind/rule"
)

// ErrUncertain is wrapped by all reasons for which no answer is given.
var ErrUncertain = errors.New("the instructions do not tell")

// The reasons.
var (
	// ErrNoFunction: nothing says where the function starts.
	ErrNoFunction = fmt.Errorf("%w: no function start is known: %w", ErrUncertain, rule.ErrNone)
	ErrTooLarge   = fmt.Errorf("%w: the function is too large", ErrUncertain)
	ErrUnreached  = fmt.Errorf("%w: no way leads to the address", ErrUncertain)
	// ErrUnbalanced: somewhere the function returns with another frame than it was
	// entered with, so it was not entered where it seems to start.
	ErrUnbalanced = fmt.Errorf("%w: the function's frame does not balance", ErrUncertain)
	// ErrDisagree: on different ways there the caller is in different places.
	ErrDisagree = fmt.Errorf("%w: the ways to the address disagree", ErrUncertain)
)
