// Package push sends profiles to servers that store them: to what receives
// OpenTelemetry's profiles by OTLP over HTTP, and to Grafana Pyroscope. What a server does
// not take yet waits in a spool on the disk.
//
// A profile is sent until a server has said that it has it: one whose answer is lost is
// sent again. OTLP's have an id by which a server can tell, and Pyroscope's do.
package push
