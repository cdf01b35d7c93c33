package host

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sett/internal/base/dial"
)

// Kind says what a caller can do about a failure.
type Kind string

// The kinds of failures.
const (
	NotFound    Kind = "not_found"   // the host has no such commit, file or change
	Refused     Kind = "refused"     // the address or the token is wrong, or may not do this: people must change it
	Limited     Kind = "limited"     // too many requests: see Error.Until
	Unreachable Kind = "unreachable" // no answer, or one that says that the host is in trouble: try again later
	Cannot      Kind = "cannot"      // this kind of host does not answer this
	Strange     Kind = "strange"     // an answer that is not as the host documents it
)

// Error is why a host gave no answer. Its text is a sentence for people, without secrets and without what the host wrote.
type Error struct {
	Kind  Kind
	Until time.Time // of Limited: when to ask again
	text  string

	status int // of the answer, if it is Strange
}

func (e *Error) Error() string { return e.text }

// KindOf returns the kind of the first Error in err's chain; "" if there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}

// mostPause is how long a host may ask to be left alone, and pause how long it is when it does not say.
const (
	mostPause = 24 * time.Hour
	pause     = time.Minute
)

// unreachable says why there was no answer, without addresses of the network.
func unreachable(host string, to *url.URL, err error) *Error {
	if forbidden, ok := errors.AsType[*dial.ForbiddenError](err); ok {
		return &Error{Kind: Refused, text: forbidden.Error()}
	}
	if own, ok := errors.AsType[*dial.OwnError](err); ok {
		return &Error{Kind: Refused, text: own.Error()}
	}
	why := "the connection failed"
	timeout, late := errors.AsType[net.Error](err)
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		why = "its name cannot be resolved"
	} else if certificate(err) {
		why = "its certificate cannot be verified"
	} else if late && timeout.Timeout() {
		why = fmt.Sprintf("it did not respond within %v", askTimeout)
	}
	return &Error{Kind: Unreachable, text: fmt.Sprintf("%s at %s cannot be reached: %s.", host, to.Hostname(), why)}
}

func certificate(err error) bool {
	_, name := errors.AsType[x509.HostnameError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, other := errors.AsType[*tls.CertificateVerificationError](err)
	return name || authority || invalid || other
}

// judge returns what is wrong with an answer; nil for a success. what is what was asked for, such as "commit a1b2c3d".
func (a api) judge(status int, header http.Header, body []byte, what string) *Error {
	switch {
	case status >= 200 && status < 300:
		return nil
	case status >= 300 && status < 400:
		return &Error{Kind: Refused, text: fmt.Sprintf("%s says that %s has moved. Enter the new address of the repository.", a.host, a.label)}
	case status == http.StatusTooManyRequests, status == http.StatusForbidden && limited(header, body):
		until := a.until(header)
		text := fmt.Sprintf("%s accepts no more requests with this token until %s.", a.host, until.UTC().Format("2006-01-02 15:04:05 UTC"))
		return &Error{Kind: Limited, Until: until, text: text}
	case status == http.StatusUnauthorized:
		return &Error{Kind: Refused, text: fmt.Sprintf("%s does not accept the token. It may have expired: create a new one, and enter it.", a.host)}
	case status == http.StatusForbidden:
		const text = "The token may not read or write %s of %s at %s. Give it that permission."
		return &Error{Kind: Refused, text: fmt.Sprintf(text, kindOf(what), a.label, a.host)}
	case status == http.StatusNotFound, status == http.StatusGone, status == http.StatusUnprocessableEntity: // 422 is for ids that cannot be one
		if what == "" {
			return a.unknownRepository()
		}
		return &Error{Kind: NotFound, text: fmt.Sprintf("%s has no %s in %s that the token may read.", a.host, what, a.label)}
	case status >= 500 || status == http.StatusRequestTimeout:
		return &Error{Kind: Unreachable, text: fmt.Sprintf("%s answered with the status %d. Try again later.", a.host, status)}
	}
	strange := a.strange(fmt.Sprintf("the status %d", status))
	strange.status = status
	return strange
}

func (a api) unknownRepository() *Error {
	const text = "%s has no repository %s that the token may read. Check the address, and give the token access to the repository."
	return &Error{Kind: Refused, text: fmt.Sprintf(text, a.host, a.label)}
}

func (a api) strange(what string) *Error {
	const text = "%s answered with %s, which sett does not understand. Check that the address of the repository is that of %s."
	return &Error{Kind: Strange, text: fmt.Sprintf(text, a.host, what, a.host)}
}

// kindOf is the first word of what was asked for.
func kindOf(what string) string {
	kind, _, _ := strings.Cut(what, " ")
	switch kind {
	case "":
		return "the code"
	case "change", "comments":
		return "the changes"
	case "checks":
		return "the checks"
	}
	return "the code"
}

// limited reports whether a refusal is a limit of GitHub's (docs.github.com, rate limits for the REST API).
func limited(header http.Header, body []byte) bool {
	said := string(body[:min(len(body), 2_000)])
	return header.Get("X-Ratelimit-Remaining") == "0" || header.Get("Retry-After") != "" || strings.Contains(said, "rate limit")
}

// until returns when a limit ends, as any of the hosts says it.
func (a api) until(header http.Header) time.Time {
	now := a.now()
	said := header.Get("Retry-After")
	at := time.Time{}
	if seconds, err := strconv.ParseInt(said, 10, 64); err == nil && seconds >= 0 && seconds < 1<<31 {
		at = now.Add(time.Duration(seconds) * time.Second)
	} else if date, err := http.ParseTime(said); err == nil {
		at = date
	}
	for _, name := range []string{"X-Ratelimit-Reset", "Ratelimit-Reset"} {
		if seconds, err := strconv.ParseInt(header.Get(name), 10, 64); at.IsZero() && err == nil && seconds > 0 && seconds < 1<<37 {
			at = time.Unix(seconds, 0)
		}
	}
	switch {
	case at.IsZero(), at.Before(now):
		return now.Add(pause)
	case at.After(now.Add(mostPause)):
		return now.Add(mostPause)
	}
	return at
}
