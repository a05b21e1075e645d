// Package otlp holds what stacksnap writes and sends as OpenTelemetry's profiles against
// programs that are not ours: the reader of OpenTelemetry's Collector here, and a whole
// Collector below collector/.
package otlp
