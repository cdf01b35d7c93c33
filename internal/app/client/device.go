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

// Code is what a person types, or compares, in the browser so that this machine gets a token (RFC 8628).
type Code struct {
	Text     string
	Where    string // the page on which it is typed
	Complete string // the same with the code in it
}

// ErrNoCodes is the error of a server that gives no codes, since it is older.
var ErrNoCodes = errors.New("the server gives no codes for signing in")

// deviceCode is the answer of a server that gives a code.
type deviceCode struct {
	Device   string `json:"device_code"`
	User     string `json:"user_code"`
	Where    string `json:"verification_uri"`
	Complete string `json:"verification_uri_complete"`
	Lasts    int64  `json:"expires_in"` // seconds
	Every    int64  `json:"interval"`   // seconds
}

// The bounds of what a server says of its codes, in seconds.
const (
	leastBetweenPolls = 5
	mostBetweenPolls  = 60
	longestCode       = 3600
)

// SignIn asks for a token for a machine of this name. It shows a code, and waits until the user has answered in the browser.
func (s Server) SignIn(ctx context.Context, machine string, show func(Code)) (token string, err error) {
	var code deviceCode
	form := url.Values{"client_id": {"sett-cli"}, "device_name": {machine}}
	switch refused, err := s.postForm(ctx, "/oauth/device_authorization", form, &code); {
	case err != nil:
		return "", err
	case refused.status == http.StatusNotFound, refused.status == http.StatusMethodNotAllowed:
		return "", ErrNoCodes
	case refused.status != 0:
		return "", refused.sentence(s)
	case code.Device == "" || code.User == "":
		return "", s.strange(http.StatusOK)
	}
	show(Code{cell.Plain(code.User), cell.Plain(code.Where), cell.Plain(code.Complete)})
	every := time.Duration(min(max(code.Every, leastBetweenPolls), mostBetweenPolls)) * time.Second
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(min(code.Lasts, longestCode))*time.Second, errors.New("the code has expired; run sett login again"))
	defer cancel()
	for {
		var given struct {
			Token string `json:"access_token"`
		}
		form := url.Values{"client_id": {"sett-cli"}, "grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "device_code": {code.Device}}
		refused, err := s.postForm(ctx, "/oauth/token", form, &given)
		switch {
		case err == nil && refused.status == 0 && given.Token != "":
			return given.Token, nil
		case err == nil && refused.code == "slow_down":
			every += leastBetweenPolls * time.Second
		case err == nil && refused.code != "authorization_pending" && refused.status < http.StatusInternalServerError:
			return "", refused.sentence(s)
		}
		if sleep(ctx, every) != nil { // also after silence, which may end
			return "", context.Cause(ctx)
		}
	}
}

// refusal is how a server refuses by the standard; its status is 0 for none.
type refusal struct {
	status     int
	code, text string
}

func (r refusal) sentence(s Server) error {
	if r.text == "" {
		return s.strange(r.status)
	}
	return NotSignedIn{Err: errors.New(r.text)}
}

// postForm sends a form, as the standard has it, and reads the answer into one.
func (s Server) postForm(ctx context.Context, path string, form url.Values, answer any) (refused refusal, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(s.Address, "/")+path, strings.NewReader(form.Encode()))
	if err != nil {
		return refused, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	response, err := s.Do(r)
	if err != nil {
		return refused, fmt.Errorf("the server did not answer: %w; check its address in --server (SETT_SERVER)", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer))
	if err != nil {
		return refused, fmt.Errorf("the answer of %s ended early: %w; try again", s.Address, err)
	}
	if response.StatusCode < http.StatusBadRequest {
		if json.Unmarshal(text, answer) != nil {
			return refused, s.strange(response.StatusCode)
		}
		return refused, nil
	}
	var said struct {
		Error string `json:"error"`
		Text  string `json:"error_description"`
	}
	if json.Unmarshal(text, &said) != nil { // as a proxy answers
		said.Error, said.Text = "", ""
	}
	return refusal{response.StatusCode, said.Error, cell.Plain(said.Text)}, nil
}
