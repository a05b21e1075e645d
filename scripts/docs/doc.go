// Package docs tests README.md and ARCHITECTURE.md: that what they link to and name is
// there.
package docs
