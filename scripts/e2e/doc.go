// Package e2e holds the tests that run the whole of stacksnap on real
// processes, beside tools that were written by others. Without -tags long those
// that repeat do so less often, and some are left out.
package e2e
