//go:build !long

package golang_test

var moreTargets []string
