package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"sett/internal/sett/signin"
)

// The codes of refusals (RFC 6749, 7591, 8628 and 8707).
const (
	invalidRequest   = "invalid_request"
	invalidClient    = "invalid_client"
	invalidGrant     = "invalid_grant"
	invalidScope     = "invalid_scope"
	invalidTarget    = "invalid_target"
	invalidRedirect  = "invalid_redirect_uri"
	invalidMetadata  = "invalid_client_metadata"
	unsupportedType  = "unsupported_response_type"
	unsupportedGrant = "unsupported_grant_type"
	denied           = "access_denied"
	pending          = "authorization_pending"
	expired          = "expired_token"
)

// Refusal is why a program does not get what it asked for.
type Refusal struct {
	Code string // one of the standard
	Text string // what to do, for its developer
	To   string // where the program is to hear it; "" if its address cannot be trusted
}

func (r *Refusal) Error() string { return r.Text }

// RefusalIn returns the refusal in an error; nil for another error.
func RefusalIn(err error) *Refusal {
	var r *Refusal
	errors.As(err, &r)
	return r
}

func refuse(code, format string, args ...any) error {
	return &Refusal{Code: code, Text: fmt.Sprintf(format, args...)}
}

// Level is what people can allow a program.
type Level struct {
	Scope  string // as programs ask for it
	Says   string // what it lets them do
	scopes []string
}

// Levels lists what people can allow. Without triage and write a program reads.
func Levels() []Level {
	return []Level{
		{"read", "Read errors, events, deploys, sites, check-ins and status pages", signin.ReadScopes()},
		{"triage", "Resolve, ignore, assign and comment on errors", []string{"faults:write"}},
		{"write", "Change sites, check-ins, alarms, dashboards and status pages, and record deploys", []string{
			"dashboards:write", "alarms:write", "deploys:write", "checkins:write", "uptime:write", "status_pages:write", "incidents:write",
		}},
	}
}

// ScopesOf returns the scopes of a token with some levels. Reading is always among them.
func ScopesOf(levels []string) (scopes []string) {
	for i, level := range Levels() {
		if i == 0 || slices.Contains(levels, level.Scope) {
			scopes = append(scopes, level.scopes...)
		}
	}
	return scopes
}

// levelsIn returns the levels that a token with such scopes has.
func levelsIn(scopes string) (levels []string) {
	has := strings.Fields(scopes)
	for _, level := range Levels() {
		if !slices.ContainsFunc(level.scopes, func(scope string) bool { return !slices.Contains(has, scope) }) {
			levels = append(levels, level.Scope)
		}
	}
	return levels
}

// Request is what a program asks a person for.
type Request struct {
	Client    Client
	Redirect  string
	State     string
	Challenge string   // of PKCE
	Levels    []string // that the person may allow: never more than was asked for
	issuer    string
}

// ReadRequest reads a request for authorization. The error is a Refusal. One without an address to go to is for the person alone: the program could be
// another than it says.
func (d *Desk) ReadRequest(ctx context.Context, query url.Values) (Request, error) {
	client, err := d.client(ctx, query.Get("client_id"))
	if err != nil {
		return Request{}, err
	}
	q := Request{Client: client, Redirect: query.Get("redirect_uri"), State: query.Get("state"), Challenge: query.Get("code_challenge"), issuer: d.BaseURL}
	if !client.mayReturn(q.Redirect) {
		return q, refuse(invalidRequest, "redirect_uri is none of those that the program has registered")
	}
	err = q.check(query, d)
	if r := RefusalIn(err); r != nil {
		r.To = q.answer("error", r.Code, "error_description", r.Text)
	}
	return q, err
}

func (q *Request) check(query url.Values, d *Desk) error {
	switch {
	case query.Get("response_type") != "code":
		return refuse(unsupportedType, "response_type must be code")
	case query.Get("code_challenge_method") != "S256" || len(q.Challenge) != challengeLength:
		return refuse(invalidRequest, "code_challenge with code_challenge_method S256 is required (PKCE)")
	}
	if err := d.checkResource(query); err != nil {
		return err
	}
	asked := strings.Fields(query.Get("scope"))
	for _, level := range Levels() {
		if len(asked) == 0 || slices.Contains(asked, level.Scope) || level.Scope == "read" {
			q.Levels = append(q.Levels, level.Scope)
		}
	}
	return nil
}

// checkResource refuses a token for another server (RFC 8707).
func (d *Desk) checkResource(query url.Values) error {
	for _, resource := range query["resource"] {
		if r := strings.TrimRight(resource, "/"); r != d.BaseURL && r != d.BaseURL+MCP {
			return refuse(invalidTarget, "resource must be %s", d.BaseURL+MCP)
		}
	}
	return nil
}

// answer returns where the person goes on, with what the program is to hear.
func (q Request) answer(fields ...string) string {
	u, err := url.Parse(q.Redirect)
	if err != nil {
		return ""
	}
	query := u.Query()
	for i := 0; i+1 < len(fields); i += 2 {
		query.Set(fields[i], fields[i+1])
	}
	if q.State != "" {
		query.Set("state", q.State)
	}
	query.Set("iss", q.issuer)
	u.RawQuery = query.Encode()
	return u.String()
}

// Leads returns the host to which the program's address leads, or its scheme where it has none that says something.
func (q Request) Leads() string {
	to, err := url.Parse(q.Redirect)
	switch {
	case err != nil:
		return ""
	case to.Scheme == "https", to.Scheme == "http":
		return to.Host
	default:
		return to.Scheme + ":"
	}
}

// Denied returns where a person goes on who does not allow it.
func (q Request) Denied() string {
	return q.answer("error", denied, "error_description", "The person did not allow it.")
}
