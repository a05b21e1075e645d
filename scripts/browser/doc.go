// Package browser has tests that show the pages of -f html in Chromium, and use them as
// people do: by clicks, keys and searches, in both themes. It is a module of its own, for
// its driver is not to be a dependency of stacksnap.
//
//	cd scripts/browser && go test -tags browser .
//
// -shots DIR keeps pictures of what was seen.
package browser
