package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"
)

// Log writes one line per request when it is over: route, method, status, duration, principal and request id. An
// internal error makes it an error line with the error's text; else it is an info line, or a debug line when a quiet
// route succeeded. The request id is the client's X-Request-Id when that is sane, and is sent back in that header.
// Within another Log it does nothing.
func Log(log *slog.Logger, next http.Handler) http.Handler {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if knownFacts(r.Context()) != nil {
			next.ServeHTTP(w, r)
			return
		}
		f := &facts{requestID: r.Header.Get("X-Request-Id"), began: time.Now()}
		if !saneID(f.requestID) {
			f.requestID = rand.Text()
		}
		w.Header().Set("X-Request-Id", f.requestID)
		defer f.log(log, r)
		next.ServeHTTP(&response{ResponseWriter: w, facts: f}, r.WithContext(context.WithValue(r.Context(), factsKey{}, f)))
	})
}

// SetPrincipal notes who made the request that ctx belongs to, such as "user 7", for its log line. It must not be a
// secret.
func SetPrincipal(ctx context.Context, principal string) { factsOf(ctx).principal = principal }

// RequestID returns the id of the request that ctx belongs to, or "" outside of one.
func RequestID(ctx context.Context) string { return factsOf(ctx).requestID }

// facts is what becomes known about one request on its way; one goroutine at a time uses it.
type facts struct {
	requestID string
	began     time.Time
	route     string // pattern of the path, "" when none matched
	tag       string // of the route
	quiet     bool
	pageSize  int // of the route
	principal string
	failure   error // internal; nil when all went well, or the client erred
	body      *heldBody
	answered  bool // the status has been sent
	status    int
}

type factsKey struct{}

func knownFacts(ctx context.Context) *facts {
	f, _ := ctx.Value(factsKey{}).(*facts)
	return f
}

// factsOf returns the facts of the request, or a throwaway value outside of one.
func factsOf(ctx context.Context) *facts {
	if f := knownFacts(ctx); f != nil {
		return f
	}
	return &facts{}
}

// fail notes an internal error. The first one counts, as what follows is its consequence.
func (f *facts) fail(err error) {
	if f.failure == nil && !errors.Is(err, context.Canceled) {
		f.failure = err
	}
}

func (f *facts) log(log *slog.Logger, r *http.Request) {
	status := f.status
	if status == 0 {
		status = http.StatusOK // net/http sends it for a handler that wrote nothing
	}
	level := slog.LevelInfo
	switch {
	case f.failure != nil:
		level = slog.LevelError
	case f.quiet && status < http.StatusBadRequest:
		level = slog.LevelDebug
	}
	if !log.Enabled(r.Context(), level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("route", f.route),
		slog.String("method", r.Method),
		slog.Int("status", status),
		slog.Float64("duration_ms", float64(time.Since(f.began).Microseconds())/1000),
		slog.String("request_id", f.requestID),
	}
	if f.principal != "" {
		attrs = append(attrs, slog.String("principal", f.principal))
	}
	if f.failure != nil {
		attrs = append(attrs, failureAttrs(f.failure)...)
	}
	log.LogAttrs(r.Context(), level, f.message(), attrs...)
}

func (f *facts) message() string {
	if f.failure != nil {
		return "a request failed in the server"
	}
	return "request"
}

func failureAttrs(err error) []slog.Attr {
	attrs := []slog.Attr{slog.String("error", err.Error()), slog.String("hint", "check the database and the disk with: sett doctor")}
	if p, ok := errors.AsType[*panicError](err); ok {
		attrs = append(attrs, slog.String("stack", string(p.stack)))
	}
	return attrs
}

const maxRequestID = 64 // characters

func saneID(id string) bool {
	if id == "" || len(id) > maxRequestID {
		return false
	}
	for _, c := range []byte(id) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// response notes the status on its way out. http.ResponseController reaches the real writer through Unwrap.
type response struct {
	http.ResponseWriter
	facts *facts
}

func (w *response) WriteHeader(status int) {
	if !w.facts.answered && status >= http.StatusOK { // those below are hints that precede the answer
		w.facts.answered, w.facts.status = true, status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(b []byte) (int, error) {
	if !w.facts.answered {
		w.facts.answered, w.facts.status = true, http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Recover makes an internal error of a panic in next, so that it is answered and logged with its stack like any other.
// It lets http.ErrAbortHandler through, which asks net/http to cut the connection.
func Recover(next Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) (err error) {
		defer func() {
			switch v := recover(); v {
			case nil:
			case http.ErrAbortHandler:
				panic(v)
			default:
				err = &panicError{value: v, stack: debug.Stack()}
			}
		}()
		return next(w, r)
	}
}

type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }
