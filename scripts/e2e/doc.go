// Package e2e holds the tests that run the whole of stacksnap on real
// processes, beside tools that were written by others.
package e2e
