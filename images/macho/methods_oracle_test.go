package macho

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var methodSymbol = regexp.MustCompile(`^[-+]\[\S+ \S+\]$`)

// TestMethodsAgreeWithSymbols: where the symbol table names methods, the class metadata
// names them so, too.
func TestMethodsAgreeWithSymbols(t *testing.T) {
	for _, path := range append(oracleFiles(t), objcFixtures(t)...) {
		f := openOracle(t, path)
		table := f.symtab()
		if table == nil || f.methods().Len() == 0 {
			continue
		}
		names := map[uint64][]string{}
		f.eachSymbol(func(_ uint32, n *nlist) bool {
			if raw, ok := table.names.at(n.strx); ok && n.defined() && methodSymbol.MatchString(raw) {
				names[n.value] = append(names[n.value], raw)
			}
			return true
		})
		missing, wrong := 0, 0
		for at, want := range names {
			name, ok := f.methods().Name(at)
			switch {
			case !ok:
				missing++
				t.Logf("%s: %#x: %q is not in the metadata", path, at, want)
			case !anyOf(want, withoutRuntimeName(name)):
				wrong++
				t.Errorf("%s: %#x is %s, want %q", path, at, name, want)
			}
		}
		t.Logf("%s: %d methods of symbols, %d of metadata, %d not in the metadata, %d wrong",
			filepath.Base(path), len(names), f.methods().Len(), missing, wrong)
	}
}

// withoutRuntimeName gives the fixture's class that the runtime knows by Swift's name
// the one that it has in the source.
func withoutRuntimeName(name string) string {
	return strings.ReplaceAll(name, "_TtC4shop5Clerk", "Clerk")
}

func anyOf(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

var (
	dumpedName = regexp.MustCompile(`^\s+name 0x\S+ (?:\(0x[0-9a-f]+\) ?)?(.*)$`)
	dumpedIMP  = regexp.MustCompile(`^\s+imp (?:0x[0-9a-f]+ \()?(0x[0-9a-f]+)`)
)

// TestMethodsAgreeWithObjdump: the selector of each method that llvm-objdump shows is
// that of ours. It reads no chained pointers.
func TestMethodsAgreeWithObjdump(t *testing.T) {
	for _, path := range append(oracleFiles(t), objcFixtures(t)...) {
		f := openOracle(t, path)
		if f.chained.size != 0 || len(f.ranges("__objc_classlist")) == 0 {
			continue
		}
		selectors := map[uint64][]string{}
		var last string
		for line := range strings.Lines(llvm(t, "", "llvm-objdump", "--macho", "--objc-meta-data", archFlag(f), path)) {
			line = strings.TrimRight(line, "\n")
			if m := dumpedName.FindStringSubmatch(line); m != nil {
				last = m[1]
			}
			if m := dumpedIMP.FindStringSubmatch(line); m != nil {
				at, err := strconv.ParseUint(m[1], 0, 64)
				if err != nil {
					t.Fatal(line)
				}
				// A protocol's methods have no code, and of some relative lists it shows the
				// low halves of addresses and no names.
				if s, ok := f.SectionAt(at); ok && s.instructions() && last != "" {
					selectors[at] = append(selectors[at], last+"]")
				}
			}
		}
		wrong := 0
		for at, want := range selectors {
			name, ok := f.methods().Name(at)
			if _, selector, found := strings.Cut(name, " "); !ok || !found || !anyOf(want, selector) {
				wrong++
				t.Errorf("%s: %#x is %q, want %q", path, at, name, want)
			}
		}
		t.Logf("%s: %d methods shown without a symbol, %d of metadata, %d wrong", filepath.Base(path), len(selectors), f.methods().Len(), wrong)
	}
}

// TestNamedFunctions logs how many functions have a name with the class metadata and
// without.
func TestNamedFunctions(t *testing.T) {
	for _, path := range append(oracleFiles(t), objcFixtures(t)...) {
		f := openOracle(t, path)
		before, after, methods := 0, 0, map[string]bool{}
		for _, start := range f.starts() {
			i := f.sectionIndex(start)
			if i < 0 {
				continue
			}
			if _, ok := f.tableSymbol(start, i); ok {
				before++
			}
			if sym, ok := f.Symbol(start); ok {
				after++
				if methodSymbol.MatchString(sym.Name) {
					methods[sym.Name] = true
				}
			}
		}
		t.Logf("%s: %d functions, %d named before and %d after; %d methods", filepath.Base(path), len(f.starts()), before, after, len(methods))
	}
}

func objcFixtures(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/objc/*.dylib")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	return files
}
