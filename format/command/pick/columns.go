package pick

import (
	"slices"
	"unicode/utf8"
)

// leastCommand is the least width, in columns, that should be left for command lines.
const leastCommand = 20

// dispensable are the headings of the columns to drop, in this order, until the command
// line has enough room.
var dispensable = []string{"AGE", "PARENT", "CPU", "USER"}

// narrowed drops columns from a table until its last column has room for a command line.
// The first row has the headings.
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

// widthBefore returns the width, in columns, of everything before the last cell.
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
