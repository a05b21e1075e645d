// Package crash reads and writes the crash reports of macOS and iOS: the .ips file of
// bug_type 309 ([IPS], [ReadIPS]), and the text of version 12, a .crash file ([Text],
// [ReadText]). macOS 11 and iOS 14 were the last systems to write the text; Console
// still shows it.
//
// The text is parsed into the .ips document with the same content. Parts of a report
// that the model cannot hold are kept beside the profile, and are written again.
package crash
