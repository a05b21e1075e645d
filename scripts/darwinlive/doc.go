// Package darwinlive runs the darwin build of stacksnap on live processes and
// judges what comes out: on Linux in a Darwin user space (../shared/darling beside
// the repository, or the program that $STACKSNAP_DARLING names), on a Mac as it
// is. Its tests are built with the tag darwinlive:
//
//	go test -tags darwinlive -v ./scripts/darwinlive
//
// They skip where there is no such user space, no root, or no overlayfs. Each
// begins with a user space of its own. STACKSNAP_LONG=1 has every test at its full
// length. A test is repeated only when a call of that user space did not come back, be it
// one of Go's own runtime, or its server went down, and these repeats are counted; a wrong
// answer never is.
package darwinlive
