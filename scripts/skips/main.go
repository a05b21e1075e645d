// Command skips judges what "go test -json" has written: it prints what go test would
// have printed, then every skip that the lane's list does not have, and fails if there
// is one, if a test has failed, or if none has run.
//
//	go test -json ./... >FILE; go run ./scripts/skips .ci/skips/LANE.txt FILE
//
// Without FILE it reads standard input; go test's own exit code need not be looked at.
// A list, .ci/skips/LANE.txt, has a line
//
//	NAME: PACKAGE TEST
//
// for each thing that the lane does not have, and who may skip for want of it: * in
// PACKAGE (without "stacksnap/") and TEST stands for anything; both may be left out. A
// skip has to read "needs NAME: why", as package task/needs writes it.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: skips LIST [FILE of go test -json]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "skips:", err)
		os.Exit(1)
	}
}

func run(list string, files []string, w io.Writer) error {
	text, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	rules, err := parseRules(list, string(text))
	if err != nil {
		return err
	}
	from := os.Stdin
	if len(files) > 0 {
		if from, err = os.Open(files[0]); err != nil {
			return err
		}
		defer from.Close()
	}
	o, err := read(from, w)
	if err != nil {
		return err
	}
	return o.judge(rules, w)
}
