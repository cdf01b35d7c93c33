// Package client asks the API of a server, for the commands that people use on any machine. In go the address of the server, a
// user's token and what is asked; out come the answers in the types of the API, or an error that says what to do. It never opens a
// database, prints nothing, and never sends the token to another host.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"sett/internal/api"
	"sett/internal/base/cell"
	"sett/internal/serve"
)

// Server is the API of a server, as one user sees it.
type Server struct {
	Do      func(*http.Request) (*http.Response, error)
	Address string // of the server, without a slash at its end
	Token   string // personal token of the user
	Project int64  // that is asked about; 0: the only one of the user
	key     string // API key of that project, if it is known
}

// longestAnswer is how much of an answer is read, in bytes.
const longestAnswer = 64 << 20

// call sends a request, with a body unless it is nil, and reads the answer into one, unless that is nil.
func (s Server) call(ctx context.Context, method, path string, body, answer any) error {
	if s.Token == "" {
		return NotSignedIn{Err: fmt.Errorf("--auth-token (SETT_AUTH_TOKEN) is missing; run sett login %s, with a personal token of %[1]s/me/tokens", s.Address)}
	}
	return s.send(ctx, method, path, body, answer, func(r *http.Request) {
		if r.SetBasicAuth(s.Token, ""); strings.HasPrefix(path, "/api/0/") {
			r.Header.Set("Authorization", "Bearer "+s.Token) // as the clients of that interface send it
		}
	})
}

// send is a call that sign adds the credentials to.
func (s Server) send(ctx context.Context, method, path string, body, answer any, sign func(*http.Request)) error {
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
	sign(r)
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
	return Refused{Status: status, Says: cell.Plain(said.Errors)}
}

// Refused is the error of a request that the server understood and refused.
type Refused struct {
	Status int
	Says   string // a sentence of the server
}

func (r Refused) Error() string { return r.Says }

// absent reports whether the server does not have what was asked for.
func absent(err error) bool {
	refused, ok := errors.AsType[Refused](err)
	return ok && refused.Status == http.StatusNotFound
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
	all, err := s.projects(ctx)
	if err != nil {
		return "", err
	}
	if len(all) == 1 {
		return "/v2/projects/" + strconv.FormatInt(all[0].ID, 10), nil
	}
	return "", s.whichProject("--project-id", all)
}

func (s Server) projects(ctx context.Context) ([]api.Project, error) {
	var all serve.List[api.Project]
	err := s.call(ctx, http.MethodGet, "/v2/projects", nil, &all)
	return all.Results, err
}

// whichProject is the error for a user who has not exactly one project, and has named none with a flag.
func (s Server) whichProject(flag string, all []api.Project) error {
	const most = 10 // that an error names
	var names []string
	for _, p := range all[:min(len(all), most)] {
		names = append(names, fmt.Sprintf("%d (%s)", p.ID, cell.Plain(p.Name)))
	}
	if len(names) == 0 {
		return fmt.Errorf("you have no project on %s", s.Address)
	}
	if more := len(all) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("%s (SETT_PROJECT_ID) is missing; you have %s", flag, strings.Join(names, ", "))
}

// Choose returns the server with the project that a word names: by its id, its name in any case, or its API key. For "" it is the one that was set, or
// the only one of the user.
func (s Server) Choose(ctx context.Context, word string) (Server, error) {
	if word == "" && s.Project > 0 {
		return s, nil
	}
	if id, err := strconv.ParseInt(word, 10, 64); err == nil && id > 0 {
		s.Project = id
		return s, nil
	}
	all, err := s.projects(ctx)
	if err != nil {
		return s, err
	}
	if word == "" && len(all) != 1 {
		return s, s.whichProject("--project", all)
	}
	if word == "" {
		s.Project, s.key = all[0].ID, all[0].Token
		return s, nil
	}
	var rows []Row
	for _, p := range all {
		rows = append(rows, viewProject(p))
	}
	at, err := pick(Projects(), rows, word)
	if err != nil {
		return s, err
	}
	s.Project, s.key = all[at].ID, all[at].Token
	return s, nil
}
