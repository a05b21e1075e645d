// Package statusutil stands in for the package of OpenTelemetry's Collector that has
// this path, which the module proxy does not have: of the Collector's receiver it makes
// the answers that say what was wrong with a request.
package statusutil

import (
	"net/http"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// NewStatusFromMsgAndHTTPCode is the status of an error that is answered by a code of HTTP.
func NewStatusFromMsgAndHTTPCode(text string, code int) *status.Status {
	switch code {
	case http.StatusBadRequest:
		return status.New(codes.InvalidArgument, text)
	case http.StatusInternalServerError:
		return status.New(codes.Internal, text)
	}
	return status.New(codes.Unknown, text)
}

// GetRetryInfo is when a status says that the request may come again; nil where it does
// not.
func GetRetryInfo(s *status.Status) *errdetails.RetryInfo {
	for _, detail := range s.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			return info
		}
	}
	return nil
}
