package main

import (
	"fmt"
	"path"
	"strings"
)

// rule is a line of a list: who may skip for want of what.
type rule struct {
	name           string // of what is missing
	packages, test string // patterns
}

func parseRules(file, text string) (rules []rule, err error) {
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, " #")
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, who, _ := strings.Cut(line, ": ")
		r := rule{name: strings.TrimSuffix(name, ":"), packages: "*", test: "*"}
		words := strings.Fields(who)
		if len(words) > 2 {
			return nil, fmt.Errorf("%s:%d: more than NAME: PACKAGE TEST", file, i+1)
		}
		if len(words) > 0 {
			r.packages = words[0]
		}
		if len(words) > 1 {
			r.test = words[1]
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// allows reports whether a rule expects a skip.
func (r *rule) allows(s skip) bool {
	return r.name == s.name && matches(r.packages, s.pkg) && matches(r.test, s.test)
}

// matches compares with a pattern, in which * stands for slashes, too.
func matches(pattern, text string) bool {
	flat := strings.NewReplacer("/", "\x00").Replace
	ok, err := path.Match(flat(pattern), flat(text))
	return ok && err == nil
}
