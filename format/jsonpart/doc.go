// Package jsonpart reads untrusted JSON documents in parts. It skips members that the
// caller has no field for without storing them, whatever their size, and stores only one
// other value at a time. (encoding/json buffers each value completely, even an unknown
// string of 700 MB.)
package jsonpart
