package probe

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"time"

	"sett/internal/base/dial"
)

// problem is an error whose text is a reason.
type problem string

func (p problem) Error() string { return string(p) }

func problemUnlessEmpty(text string) error {
	if text == "" {
		return nil
	}
	return problem(text)
}

// errNoHTTP is an answer that cannot be read.
const errNoHTTP = problem("Response is not valid HTTP")

// errNoHTTP2 covers all errors of HTTP/2, which have no more specific types.
const errNoHTTP2 = problem("Response is not valid HTTP/2, has headers larger than 256 KiB, or was broken off")

// reasonOf returns the reason that the error is by itself, wherever it came from, or "".
func reasonOf(err error) string {
	if e, ok := errors.AsType[problem](err); ok {
		return string(e)
	}
	if text := forbidden(err); text != "" {
		return strings.ToUpper(text[:1]) + text[1:]
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return "Host name not found: " + printable(e.Name)
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "The server does not use TLS on this port"
	}
	return alert(err)
}

// forbidden says that the address may not be connected to, or returns "".
func forbidden(err error) string {
	if e, ok := errors.AsType[*dial.ForbiddenError](err); ok {
		return e.Error()
	}
	if e, ok := errors.AsType[*dial.OwnError](err); ok {
		return e.Error()
	}
	return ""
}

// isTimeout reports whether a lower layer timed out before the check did.
func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout() || errors.Is(err, context.DeadlineExceeded)
}

// isReset reports whether the connection was cut.
func isReset(err error) bool {
	return slices.ContainsFunc(resets, func(e syscall.Errno) bool { return errors.Is(err, e) })
}

// isOwnTrouble reports whether this machine, and not the site, is what fails.
func isOwnTrouble(err error) bool {
	for _, lack := range lacks {
		if errors.Is(err, lack) {
			return true
		}
		// A net.DNSError keeps the text alone.
		if e, ok := errors.AsType[*net.DNSError](err); ok && strings.Contains(e.Err, lack.Error()) {
			return true
		}
	}
	return false
}

// timeout returns the reason when the time has run out in the step.
func (s step) timeout(patience time.Duration) string {
	return [steps]string{
		"DNS lookup timed out",
		"Connection timed out",
		"TLS handshake timed out",
		fmt.Sprintf("Request not sent after %s", patience),
		fmt.Sprintf("No response headers after %s", patience),
		fmt.Sprintf("Response headers not complete after %s", patience),
		fmt.Sprintf("Response body not complete after %s", patience),
	}[s]
}

// failure returns the reason when the step has ended with an error that says nothing by itself. The text of errors is
// made for programmers and stays here.
func (s step) failure(err error, http2 bool) string {
	switch s {
	case resolving:
		return "DNS lookup failed"
	case connecting:
		return connectFailure(err)
	case handshaking:
		return handshakeFailure(err)
	}
	if how := broken(err); how != "" {
		return how + [steps]string{
			requesting: " while the request was sent", waiting: " without a response",
			readingHeaders: " within the response headers", readingBody: " before the response body was complete",
		}[s]
	}
	if http2 {
		return string(errNoHTTP2)
	}
	return string(errNoHTTP)
}

// broken says how a connection has ended, or returns "".
func broken(err error) string {
	switch {
	case isReset(err):
		return "Connection reset"
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return "Connection closed"
	}
	return ""
}

func connectFailure(err error) string {
	switch {
	case errors.Is(err, connRefused):
		return "Connection refused"
	case isReset(err):
		return "Connection reset"
	case errors.Is(err, hostUnreachable):
		return "No route to the host"
	case errors.Is(err, netUnreachable):
		return "Network unreachable"
	}
	return "Connection failed"
}

// handshakeFailure distinguishes errors of the server from those of our TLS client.
func handshakeFailure(err error) string {
	if how := broken(err); how != "" {
		return how + " during the TLS handshake"
	}
	return "TLS handshake failed: the server does not support TLS 1.2 or later, or its TLS is faulty"
}

// alert returns what the server has said to end TLS (RFC 8446 §6), or "". Later versions refuse clients only after the
// handshake.
func alert(err error) string {
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "remote error" {
		return "TLS refused by the server: " + printable(strings.TrimPrefix(e.Err.Error(), "tls: "))
	}
	return ""
}
