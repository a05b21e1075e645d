// Package html writes a profile as one page for a browser, which needs nothing beside:
// flame graph, table, threads, deadlocks and the facts of the report. The page asks
// nobody for anything, and forbids itself to; what the target is called and calls its
// functions gets into it as data alone.
package html
