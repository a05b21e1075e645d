// Package scriptstest tests the capture scripts: it runs them with a program in
// stacksnap's place that notes how it was called, on real small processes.
package scriptstest
