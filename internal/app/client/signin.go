package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"sett/internal/base/cell"
)

// SignIn is a sign-in that waits for a person to allow it on a page (RFC 8628).
type SignIn struct {
	Secret   string `json:"device_code"`
	Code     string `json:"user_code"` // that the page shows too
	Page     string `json:"verification_uri_complete"`
	Interval int    `json:"interval"` // seconds between two questions
}

// ErrNoPage is the error of a server that knows no sign-in by a page.
var ErrNoPage = errors.New("this server knows no sign-in by a page; create a token at /me/tokens, and use --with-token")

var (
	errNoAnswer = errors.New("the server did not answer")
	errTooLate  = errors.New("the code has expired; run sett login again, and allow it within 10 minutes")
)

// signInLife is how long a server keeps a sign-in.
const signInLife = 10 * time.Minute

// commandLine is the id of this program at every sett.
const commandLine = "sett-cli"

// BeginSignIn asks the server for a page on which a person lets this machine in.
func (s Server) BeginSignIn(ctx context.Context, machine string) (in SignIn, err error) {
	_, err = s.post(ctx, "/oauth/device_authorization", url.Values{"client_id": {commandLine}, "device_name": {machine}}, &in)
	in.Code = cell.Plain(in.Code)
	if err == nil && (in.Secret == "" || in.Code == "") {
		err = ErrNoPage
	}
	return in, err
}

// AwaitSignIn asks the server until a person has answered, and returns a token. The error is NotSignedIn if there is none to come.
func (s Server) AwaitSignIn(ctx context.Context, in SignIn) (token string, err error) {
	wait := time.Duration(min(max(1, in.Interval), 60)) * time.Second
	form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "client_id": {commandLine}, "device_code": {in.Secret}}
	end := time.After(signInLife)
	for {
		var tokens struct {
			Access string `json:"access_token"`
		}
		why, err := s.post(ctx, "/oauth/token", form, &tokens)
		switch {
		case err == nil && tokens.Access != "":
			return tokens.Access, nil
		case why == "slow_down":
			wait += 5 * time.Second
		case why == "authorization_pending", errors.Is(err, errNoAnswer): // the page may be open for minutes, and the network not
		case why == "access_denied":
			return "", NotSignedIn{errors.New("the sign-in was not allowed on the page; nothing was stored")}
		case why == "expired_token":
			return "", NotSignedIn{errTooLate}
		case err != nil:
			return "", err
		default:
			return "", s.strange(http.StatusOK)
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-end:
			return "", NotSignedIn{errTooLate}
		case <-time.After(wait):
		}
	}
}

// post sends a form to an address that needs no token. Of a refusal, it returns the code too.
func (s Server) post(ctx context.Context, path string, form url.Values, answer any) (code string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(s.Address, "/")+path, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	response, err := s.Do(r)
	if err != nil {
		return "", fmt.Errorf("%w: %w; check its address", errNoAnswer, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, longestSignIn))
	if err != nil {
		return "", fmt.Errorf("the answer of %s ended early: %w; try again", s.Address, err)
	}
	if response.StatusCode == http.StatusNotFound || response.StatusCode == http.StatusMethodNotAllowed {
		return "", ErrNoPage
	}
	var refused struct {
		Code string `json:"error"`
		Says string `json:"error_description"`
	}
	switch {
	case response.StatusCode == http.StatusOK && json.Unmarshal(text, answer) == nil:
		return "", nil
	case json.Unmarshal(text, &refused) == nil && refused.Code != "":
		return refused.Code, Refused{Status: response.StatusCode, Says: cell.Plain(refused.Says)}
	}
	return "", s.strange(response.StatusCode)
}

// longestSignIn is how much of an answer about a sign-in is read, in bytes.
const longestSignIn = 64 << 10
