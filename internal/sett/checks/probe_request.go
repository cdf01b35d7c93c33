package checks

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
)

// ProbeRequest says how to look at a site once. Its JSON is what the server sends to its agents.
type ProbeRequest struct {
	URL             string        `json:"url"`                        // http or https; a user and password in it are sent as Basic authentication
	Method          string        `json:"method,omitempty"`           // one of ProbeMethods; "" is GET
	Body            string        `json:"body,omitempty"`             // sent with any method
	Headers         []ProbeHeader `json:"headers,omitempty"`          // sent in addition; Host replaces the URL's, for TLS too
	MatchType       MatchType     `json:"match_type"`                 // what makes the check succeed
	Match           string        `json:"match,omitempty"`            // status or text, as MatchType says
	ValidateSSL     bool          `json:"validate_ssl"`               // a certificate that is not valid fails the check
	FollowRedirects bool          `json:"follow_redirects,omitempty"` // up to MaxRedirects of them
	Timeout         time.Duration `json:"timeout_ns,omitempty"`       // for all of it, from the name to the body; 0 is ProbeTimeout
}

// ProbeHeader is a header to send.
type ProbeHeader struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// MaxRedirects is how many redirects a check follows.
const MaxRedirects = 10

// ProbeTimeout is how long a check may take unless its site says otherwise, and MaxProbeTimeout how long one ever may.
const (
	ProbeTimeout    = 30 * time.Second
	MaxProbeTimeout = 2 * time.Minute
)

// ProbeMethods are the methods that a check may use.
func ProbeMethods() []string { return []string{"GET", "POST", "PUT", "PATCH", "DELETE"} }

// Patience returns how long the check may take.
func (r ProbeRequest) Patience() time.Duration {
	if r.Timeout == 0 {
		return ProbeTimeout
	}
	return r.Timeout
}

// Problem says why this request cannot be sent, or returns "".
func (r ProbeRequest) Problem() string {
	for _, problem := range []string{r.urlProblem(), r.methodProblem(), r.matchProblem(), r.timeoutProblem()} {
		if problem != "" {
			return problem
		}
	}
	for _, h := range r.Headers {
		if problem := h.Problem(); problem != "" {
			return fmt.Sprintf("The request header %q is invalid: %s", h.Key, problem)
		}
	}
	return ""
}

func (r ProbeRequest) urlProblem() string {
	u, err := url.Parse(r.URL)
	switch {
	case strings.ContainsFunc(r.URL, sett.IsSpaceOrControl):
		return "The URL has a space or a line break in it; write a space as %20"
	case err != nil || u.Opaque != "" || (u.Scheme != "http" && u.Scheme != "https"):
		return "The URL must start with http:// or https://"
	case u.Hostname() == "":
		return "The URL names no host"
	case !sett.IsPort(u.Port()) || strings.HasSuffix(u.Host, ":"):
		return "The port in the URL must be a number from 1 to 65535"
	}
	return ""
}

func (r ProbeRequest) methodProblem() string {
	if r.Method == "" || slices.Contains(ProbeMethods(), r.Method) {
		return ""
	}
	return "The request method must be one of " + strings.Join(ProbeMethods(), ", ")
}

func (r ProbeRequest) matchProblem() string {
	switch r.MatchType {
	case MatchSuccess:
		return ""
	case MatchInclude, MatchExclude:
		if r.Match == "" {
			return "The match must be the text to look for"
		}
		return ""
	case MatchExact:
		if status, err := strconv.Atoi(r.Match); err != nil || status < 100 || len(r.Match) != 3 {
			return "The match must be a status code from 100 to 999"
		}
		return ""
	}
	return "The match type must be one of success, exact, include, exclude"
}

func (r ProbeRequest) timeoutProblem() string {
	if r.Timeout < 0 || r.Timeout > MaxProbeTimeout {
		return fmt.Sprintf("The timeout must be positive and at most %s", MaxProbeTimeout)
	}
	return ""
}

// Problem says why the header may not be sent, or returns "".
func (h ProbeHeader) Problem() string {
	switch {
	case h.Key == "":
		return "key can't be blank"
	case !isToken(h.Key):
		return fmt.Sprintf("key %q must be letters, digits and !#$%%&'*+-.^_`|~ alone", h.Key)
	case slices.Contains(connectionHeaders(), strings.ToLower(h.Key)):
		return fmt.Sprintf("key must not be %s, which belongs to the connection that each check opens anew", h.Key)
	case len(h.Key)+len(h.Value) > maxRequestHeaderValue:
		return fmt.Sprintf("is too long (maximum is %d bytes for key and value)", maxRequestHeaderValue)
	case strings.ContainsFunc(h.Value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		return "value must not contain line breaks or other control characters"
	case strings.EqualFold(h.Key, "Host") && !isHost(h.Value):
		return "value must be a host name with an optional port, because the key is Host"
	}
	return ""
}

// connectionHeaders are about one connection or the framing of one message (RFC 9110 §7.6.1, §8.6, §10.1.1).
func connectionHeaders() []string {
	return []string{
		"connection", "content-length", "expect", "http2-settings", "keep-alive", "proxy-authorization",
		"proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
	}
}

// isToken reports whether text is a token of RFC 9110 §5.6.2.
func isToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		alphanumeric := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !alphanumeric && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// isHost reports whether text is an authority without a user (RFC 3986 §3.2.2), names beyond ASCII included.
func isHost(text string) bool {
	u, err := url.Parse("http://" + text)
	return err == nil && u.Host == text && u.Hostname() != "" && !strings.ContainsFunc(text, sett.IsSpaceOrControl)
}
