//go:build long

package hang

import "time"

const usualSoak = 4 * time.Second
