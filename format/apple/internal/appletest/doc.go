// Package appletest has profiles, golden files and comparisons for tests of Apple's reports.
package appletest
