// Package html writes a profile as one self-contained page: flame graph, table, threads,
// deadlocks and the facts of the report. The page makes no requests, and its content
// security policy forbids them. The names of the target and its functions are in it only as
// data.
package html
