package pick

import (
	"slices"
	"unicode/utf8"
)

// leastCommand is how many columns of a command line tell what it is.
const leastCommand = 20

// dispensable are the headings of columns that are left out, in this order, where
// there is not that much room for the last one, the command line.
var dispensable = []string{"AGE", "PARENT", "CPU", "USER"}

// narrowed leaves out of rows, of which the first has the headings, what does not
// fit into so many columns beside the last cell of each.
func narrowed(rows [][]string, columns int) [][]string {
	for _, heading := range dispensable {
		if columns-widthBefore(rows) >= leastCommand {
			break
		}
		at := slices.Index(rows[0], heading)
		if at < 0 {
			continue
		}
		for i := range rows {
			rows[i] = slices.Delete(rows[i], at, at+1)
		}
	}
	return rows
}

// widthBefore is how many columns stand before the last cell.
func widthBefore(rows [][]string) int {
	width := 2
	for i := range len(rows[0]) - 1 {
		widest := 0
		for _, row := range rows {
			widest = max(widest, utf8.RuneCountInString(row[i]))
		}
		width += widest + 2
	}
	return width
}
