package otlp

import (
	"encoding/json"
	"net/http"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// MediaType returns the Content-Type of answers.
func (e Encoding) MediaType() string {
	if e == JSON {
		return "application/json"
	}
	return "application/x-protobuf"
}

// Accepted returns the body that answers a request of which so many records or spans were rejected, with the reason.
func Accepted(e Encoding, signal Signal, rejected int, reason string) []byte {
	switch {
	case e == JSON && rejected == 0:
		return []byte("{}")
	case e == JSON:
		name := map[Signal]string{Logs: "rejectedLogRecords", Traces: "rejectedSpans"}[signal]
		body, _ := json.Marshal(map[string]any{"partialSuccess": map[string]string{name: strconv.Itoa(rejected), "errorMessage": reason}}) // texts always are JSON
		return body
	case rejected == 0:
		return nil
	default:
		partial := protowire.AppendTag(nil, 1, protowire.VarintType)
		partial = protowire.AppendVarint(partial, uint64(rejected))
		partial = protowire.AppendTag(partial, 2, protowire.BytesType)
		partial = protowire.AppendString(partial, reason)
		return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), partial)
	}
}

// Refused returns the body of an error: a google.rpc.Status.
func Refused(e Encoding, status int, message string) []byte {
	code := rpcCode(status)
	if e == JSON {
		body, _ := json.Marshal(struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		}{code, message})
		return body
	}
	body := protowire.AppendTag(nil, 1, protowire.VarintType)
	body = protowire.AppendVarint(body, uint64(code))
	body = protowire.AppendTag(body, 2, protowire.BytesType)
	return protowire.AppendString(body, message)
}

// rpcCode returns the google.rpc.Code of an HTTP status.
func rpcCode(status int) int {
	switch status {
	case http.StatusUnauthorized:
		return 16 // UNAUTHENTICATED
	case http.StatusForbidden:
		return 7 // PERMISSION_DENIED
	case http.StatusTooManyRequests:
		return 8 // RESOURCE_EXHAUSTED
	case http.StatusServiceUnavailable:
		return 14 // UNAVAILABLE
	default:
		return 3 // INVALID_ARGUMENT
	}
}
