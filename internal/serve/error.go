package serve

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"sett/internal/sett"
)

// Status maps an error's code to its HTTP status; this is the one table. Every other code, "" included, is 500.
func Status(code sett.Code) int {
	switch code {
	case sett.Malformed:
		return http.StatusBadRequest
	case sett.Unauthenticated:
		return http.StatusUnauthorized
	case sett.Forbidden:
		return http.StatusForbidden
	case sett.NotFound:
		return http.StatusNotFound
	case sett.MethodNotAllowed:
		return http.StatusMethodNotAllowed
	case sett.Conflict:
		return http.StatusConflict
	case sett.TooSlow:
		return http.StatusRequestTimeout
	case sett.TooLarge:
		return http.StatusRequestEntityTooLarge
	case sett.Invalid:
		return http.StatusUnprocessableEntity
	case sett.TooMany:
		return http.StatusTooManyRequests
	case sett.Unavailable:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}

// Explain returns what the other end may know of err: the *sett.Error in its chain, or one made for a body that is too
// large or a request that was given up. All else is internal: its text goes to the request's log line, and what is
// returned has no code and names only the request id.
func Explain(r *http.Request, err error) *sett.Error {
	if e, ok := errors.AsType[*sett.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return sett.Errorf(sett.TooLarge, "The request body is larger than %d bytes. Send less data.", e.Limit)
	}
	if errors.Is(err, context.Canceled) {
		return sett.Errorf(sett.Unavailable, "The request was canceled before it was complete. Try again.")
	}
	factsOf(r.Context()).fail(err)
	message := "Internal error. Try again"
	if id := RequestID(r.Context()); id != "" {
		message += "; if it keeps happening, report the request id " + id
	}
	return &sett.Error{Message: message + "."}
}

// errorBody is the body of an error under /v2. Clients of the contract read it only when errors is a string (wire.md §1.1).
type errorBody struct {
	Errors string `json:"errors" doc:"The problem and how to fix it."`
}

// reportErrorBody has the same text under both names that reporting clients read (wire.md §2.2).
type reportErrorBody struct {
	Error  string `json:"error" doc:"The problem and how to fix it."`
	Errors string `json:"errors" doc:"The same message."`
}

// WriteError writes err in the form of /v2, {"errors":"sentence"}.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	writeError(w, r, err, func(message string) any { return errorBody{Errors: message} })
}

// WriteReportError writes err in the form of /v1, {"error":"sentence","errors":"sentence"}.
func WriteReportError(w http.ResponseWriter, r *http.Request, err error) {
	writeError(w, r, err, func(message string) any { return reportErrorBody{Error: message, Errors: message} })
}

// AnswerError answers with err in the form of the interface that the path belongs to: WriteReportError for paths under
// /v1, WriteError for all others.
func AnswerError(w http.ResponseWriter, r *http.Request, err error) {
	if isReporting(r.URL.Path) {
		WriteReportError(w, r, err)
		return
	}
	WriteError(w, r, err)
}

// AnswerErrorsAs wraps a handler so that its errors have the form that the clients of another interface read: body makes it of the status and
// the message.
func AnswerErrorsAs(next Handler, body func(status int, message string) any) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := next(w, r)
		if err == nil {
			return nil
		}
		e := Explain(r, err)
		SetRetryAfter(w.Header(), e)
		status := Status(e.Code)
		return WriteJSON(w, status, body(status, e.Message))
	}
}

func writeError(w http.ResponseWriter, r *http.Request, err error, body func(message string) any) {
	e := Explain(r, err)
	if e.Code == sett.Unauthenticated {
		w.Header().Set("WWW-Authenticate", `Basic realm="sett"`)
	}
	SetRetryAfter(w.Header(), e)
	_ = WriteJSON(w, Status(e.Code), body(e.Message)) // a struct of strings always is JSON
}

// SetRetryAfter says in the headers of an answer with e when to try again, if that is of use.
func SetRetryAfter(h http.Header, e *sett.Error) {
	if e.Code == sett.TooMany || e.Code == sett.Unavailable {
		h.Set("Retry-After", strconv.FormatInt(min(max(1, wholeSeconds(e.RetryAfter)), longestRetry), 10))
	}
}

// longestRetry is the greatest Retry-After, in seconds, that every client honours (wire.md §2.2).
const longestRetry = 86400

// wholeSeconds rounds up, as a client that comes back too early is refused again.
func wholeSeconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }
