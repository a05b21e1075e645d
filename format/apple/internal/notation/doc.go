// Package notation has what all of Apple's reports write in the same way: names, versions, times,
// processes, images and their list. Format and parse functions are side by side.
package notation
