package analysis

import (
	"errors"
	"fmt"

	"stacksnap/unwind/rule"
)

// ErrUncertain is wrapped by all the reasons below.
var ErrUncertain = errors.New("the instructions do not tell")

// The reasons why there is no rule.
var (
	// ErrNoFunction: the start of the function is unknown.
	ErrNoFunction = fmt.Errorf("%w: no function start is known: %w", ErrUncertain, rule.ErrNone)
	ErrTooLarge   = fmt.Errorf("%w: the function is too large", ErrUncertain)
	ErrUnreached  = fmt.Errorf("%w: no way leads to the address", ErrUncertain)
	// ErrUnbalanced: the function returns somewhere with another frame than it was
	// entered with, so it does not start where it seems to.
	ErrUnbalanced = fmt.Errorf("%w: the function's frame does not balance", ErrUncertain)
	// ErrDisagree: paths to the pc disagree on where the caller's registers are.
	ErrDisagree = fmt.Errorf("%w: the ways to the address disagree", ErrUncertain)
)
