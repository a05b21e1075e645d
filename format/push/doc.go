// Package push uploads profiles to servers that store them: to receivers of OpenTelemetry's
// profiles by OTLP over HTTP, and to Grafana Pyroscope. Uploads that a server does not
// accept yet wait in a spool on disk.
//
// An upload is repeated until the server confirms it. If a confirmation is lost, the server
// receives the upload twice; ids in the profiles of both protocols let it recognise that.
package push
