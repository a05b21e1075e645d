// Package jsonpart reads JSON documents of strangers part by part. Members that the
// caller has no field for are skipped as they come, whatever their size, and of the
// others no more is held than one value: encoding/json buffers each value whole, a
// string of 700 MB under an unknown name, too.
package jsonpart
