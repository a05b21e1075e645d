//go:build !long

package hang

import "time"

// usualSoak is how long a healthy program is watched when nobody says.
const usualSoak = time.Second
