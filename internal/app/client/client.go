// Package client asks the API of a server, for the commands that people use on any machine. In go the address of the server, a
// user's token and what is asked; out come the answers in the types of the API, or an error that says what to do. It never opens a
// database, prints nothing, and never sends the token to another host.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"sett/internal/api"
	"sett/internal/serve"
)

// Server is the API of a server, as one user sees it.
type Server struct {
	Do      func(*http.Request) (*http.Response, error)
	Address string // of the server, without a slash at its end
	Token   string // personal token of the user
	Project int64  // that is asked about; 0: the only one of the user
}

// longestAnswer is how much of an answer is read, in bytes.
const longestAnswer = 64 << 20

// call sends a request, with a body unless it is nil, and reads the answer into one, unless that is nil.
func (s Server) call(ctx context.Context, method, path string, body, answer any) error {
	if s.Token == "" {
		return NotSignedIn{Err: fmt.Errorf("--auth-token (SETT_AUTH_TOKEN) is missing; run sett login %s, with a personal token of %[1]s/me/tokens", s.Address)}
	}
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(s.Address, "/")+path, &sent)
	if err != nil {
		return err
	}
	if r.SetBasicAuth(s.Token, ""); strings.HasPrefix(path, "/api/0/") {
		r.Header.Set("Authorization", "Bearer "+s.Token) // as the clients of that interface send it
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	response, err := s.Do(r)
	if err != nil {
		return fmt.Errorf("the server did not answer: %w; check its address in --server (SETT_SERVER)", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer+1))
	switch {
	case err != nil:
		return fmt.Errorf("the answer of %s ended early: %w; try again", s.Address, err)
	case len(text) > longestAnswer:
		return fmt.Errorf("the answer of %s is longer than %d MiB", s.Address, longestAnswer>>20)
	case response.StatusCode >= http.StatusBadRequest:
		return s.refused(response.StatusCode, text)
	case answer == nil:
		return nil
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return s.strange(response.StatusCode)
	}
	return nil
}

// refused returns the sentence of an answer that refuses.
func (s Server) refused(status int, text []byte) error {
	var said struct{ Errors string }
	if err := json.Unmarshal(text, &said); err != nil || said.Errors == "" {
		return s.strange(status)
	}
	if status == http.StatusUnauthorized {
		return NotSignedIn{Err: fmt.Errorf("%s; check --auth-token (SETT_AUTH_TOKEN), or run sett login", strings.TrimRight(said.Errors, "."))}
	}
	return fmt.Errorf("%s", said.Errors)
}

// strange is the error for an answer that is none of sett.
func (s Server) strange(status int) error {
	return fmt.Errorf("%s did not answer as sett does, with status %d; check the address in --server (SETT_SERVER)", s.Address, status)
}

// project returns the path of the project that is asked about.
func (s Server) project(ctx context.Context) (path string, err error) {
	if s.Project > 0 {
		return "/v2/projects/" + strconv.FormatInt(s.Project, 10), nil
	}
	var all serve.List[api.Project]
	if err := s.call(ctx, http.MethodGet, "/v2/projects", nil, &all); err != nil {
		return "", err
	}
	if len(all.Results) == 1 {
		return "/v2/projects/" + strconv.FormatInt(all.Results[0].ID, 10), nil
	}
	const most = 10 // that an error names
	var names []string
	for _, p := range all.Results[:min(len(all.Results), most)] {
		names = append(names, fmt.Sprintf("%d (%s)", p.ID, p.Name))
	}
	if len(names) == 0 {
		return "", fmt.Errorf("you have no project on %s", s.Address)
	}
	if more := len(all.Results) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return "", fmt.Errorf("--project-id (SETT_PROJECT_ID) is missing; you have %s", strings.Join(names, ", "))
}
