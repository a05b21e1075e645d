// Package crash reads and writes the crash reports of macOS and iOS: the .ips file of bug_type 309
// ([IPS], [ReadIPS]), and the text of version 12, a .crash file ([Text], [ReadText]), which
// macOS 11 and iOS 14 were the last to write and Console still shows.
//
// The text is read as the .ips document that has the same content. What a report has that the
// model has no place for is kept beside the profile, and written again.
package crash
