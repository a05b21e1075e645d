package top

import "fmt"

// footKeys are the keys in the last line of the screen, each with its effect.
var footKeys = [][2]string{
	{"q", "quit"}, {"?", "help"}, {"Tab", "pane"}, {"/", "filter"}, {"1-5", "sort"}, {"f", "freeze"}, {"s", "save"},
	{"w", "waiting"}, {"t", "thread"}, {"i", "invert"}, {"r", "reverse"}, {"z", "zoom"}, {"m", "merge"}, {"+-", "seconds"},
}

// helpPage returns the help on keys and columns, in 24 lines of 80 columns. It mentions
// Ctrl-Z only if that can stop the program.
func helpPage(stops bool) []line {
	again := [2]string{"Ctrl-L", "draw anew"}
	if stops {
		again = [2]string{"Ctrl-L, Ctrl-Z", "draw anew; stop, and go on by fg"}
	}
	lines := []line{text("stacksnap top: which functions take the time, and what threads wait for", strong), {}}
	for _, k := range [][2]string{
		{"Tab", "the next of functions, threads and stack"},
		{"arrows, PgUp, PgDn", "choose a row, or move the stack; also j k g G"},
		{"Enter", "on a function its callers and lines; on a thread its stack"},
		{"m", "alike threads, which are one row from 4 on, one by one"},
		{"t", "functions of the chosen thread alone"},
		{"w", "all time, that of waiting too, instead of CPU time"},
		{"+ -", "the shares are of more or fewer of the last seconds"},
		{"1 to 5, < >", "sort by that column, or by the one beside"},
		{"r", "reverse the order of rows"},
		{"/", "only rows that match a regexp; small letters match both"},
		{"i", "invert the stack: the outermost frame first"},
		{"f, Space", "freeze what is shown; sampling goes on"},
		{"s", "save a report of all samples, with the filter as --focus;"},
		{"", "after t of that thread alone; .json, .html… as with -o"},
		{"z", "the pane in focus on the whole screen"},
		{"Esc", "undo zoom, stack, filter or thread"},
		again,
		{"q, Ctrl-C", "quit; q and any other key close this help"},
	} {
		lines = append(lines, line{[]span{{fmt.Sprintf("%20s  ", k[0]), keyName}, {k[1], plain}}, plain})
	}
	return append(lines, line{},
		text("%SELF: in the function, of the CPU time of all threads lately; after w all time.", plain),
		text("%TOTAL: with all that it calls. SELF, TOTAL: likewise, as time, since the start.", plain))
}
