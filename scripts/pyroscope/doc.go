// Package pyroscope holds what stacksnap pushes against the API of Grafana Pyroscope, by
// a server of that API's own package; the whole server is not to be had from the module
// proxy.
package pyroscope
