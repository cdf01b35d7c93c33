// Package sett has what all rooms share: ids, error codes and the problems of a request, optional fields, names, addresses, times, masks of
// secrets, people and places. The nouns and their rules are in the packages inside it, such as faults and checks. All of them are pure: they
// take rows, requests and the current time, return decisions, new states and errors, and read, store and log nothing.
package sett

import (
	"errors"
	"fmt"
	"time"
)

// Code says what kind of failure an Error is, in terms that a caller can act on. Package serve maps each to one HTTP
// status.
type Code string

// The codes that callers and users tell apart. Every other error is internal and its text never leaves the server.
const (
	Malformed        Code = "malformed"          // 400: the body is no JSON, or cannot be read at all
	Unauthenticated  Code = "unauthenticated"    // 401: no credentials, or wrong ones
	Forbidden        Code = "forbidden"          // 403: known, but not allowed
	NotFound         Code = "not_found"          // 404: does not exist, or is not the caller's to see
	MethodNotAllowed Code = "method_not_allowed" // 405
	TooSlow          Code = "too_slow"           // 408: the request did not arrive in time
	Conflict         Code = "conflict"           // 409: another request changed it first
	TooLarge         Code = "too_large"          // 413
	Invalid          Code = "invalid"            // 422: understood, but refused
	TooMany          Code = "too_many"           // 429: over a quota or throttle; see Error.RetryAfter
	Unavailable      Code = "unavailable"        // 503: try again; see Error.RetryAfter
)

// Error is a failure whose message is written for the person at the other end: it says what is wrong and what to do.
type Error struct {
	Code       Code
	Message    string
	RetryAfter time.Duration // how long to wait before another try; 0 when waiting does not help
}

func (e *Error) Error() string { return e.Message }

// Errorf makes an Error with a formatted message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// CodeOf returns the code of the first Error in err's chain, or "" when there is none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}
