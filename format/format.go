// Package format is the hall of the rooms that write reports: text, jsondoc, pprof, otlp,
// speedscope, chrome, firefox, folded, html and apple, one for each shape. All read the
// same model, package profile, and what they share in words is in package words.
package format
