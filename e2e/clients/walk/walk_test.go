//go:build walk

// Package walk uses every resource of a running sett with the client that is generated from its own document, and
// nothing else: create, read, change, read, delete, by effect. It is compiled and run by TestGeneratedClient in e2e/clients,
// where the client is made. What the client cannot read ends the walk.
package walk

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/e2e/clients/walk/client"
)

// Where the server of this walk is, and what "sett setup" printed for it.
var (
	base    = flag.String("base", "", "address of the server")
	token   = flag.String("token", "", "auth token of the owner")
	account = flag.String("account", "", "id of the account")
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}

// walker is the owner of the account, with the generated client.
type walker struct {
	*client.ClientWithResponses
	t   *testing.T
	ctx context.Context
}

func newWalker(t *testing.T) walker {
	t.Helper()
	c, err := client.NewClientWithResponses(*base, client.WithHTTPClient(strict{}), as(*token))
	if err != nil {
		t.Fatal(err)
	}
	return walker{c, t, t.Context()}
}

// as signs all requests with an auth token.
func as(token string) client.ClientOption {
	return client.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.SetBasicAuth(token, "")
		return nil
	})
}

// withKey signs one request with an API key instead.
func withKey(key string) client.RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set("X-API-Key", key)
		r.Header.Del("Authorization")
		return nil
	}
}

// strict sends requests, and makes a refusal of every answer whose status the contract does not have for what is done.
type strict struct{}

// refusal is an answer of another status than that of success.
type refusal struct {
	status int
	text   string
}

func (r refusal) Error() string { return r.text }

func (strict) Do(r *http.Request) (*http.Response, error) {
	answer, err := http.DefaultClient.Do(r)
	if err != nil || slices.Contains(success(r.Method), answer.StatusCode) {
		return answer, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	return nil, refusal{answer.StatusCode, fmt.Sprintf("%s %s: status %d: %s", r.Method, r.URL, answer.StatusCode, body)}
}

func success(method string) []int {
	switch method {
	case http.MethodGet:
		return []int{http.StatusOK}
	case http.MethodPost:
		return []int{http.StatusCreated, http.StatusOK, http.StatusAccepted, http.StatusNoContent} // made; paused, resolved, linked; to be sent; changed, of status pages
	case http.MethodPut:
		return []int{http.StatusNoContent, http.StatusOK} // changed; kept in step
	}
	return []int{http.StatusNoContent}
}

// must returns an answer that was success, and ends the walk where it was not or the client could not read it.
func must[R any](answer R, err error) R {
	if err != nil {
		panic(err)
	}
	return answer
}

// refused fails the test unless the answer was refused with this status.
func (w walker) refused(status int, err error) {
	w.t.Helper()
	if r, ok := errors.AsType[refusal](err); !ok || r.status != status {
		w.t.Errorf("the answer was %v, want status %d", err, status)
	}
}

// same fails the test where a value is not as wanted.
func same[V any](t *testing.T, what string, want, got V) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// project makes a project for one walk; it goes with the test.
func (w walker) project(name string) *client.Project {
	w.t.Helper()
	var body client.CreateProjectBody
	body.Project.Name = name
	made := must(w.CreateProjectWithResponse(w.ctx, &client.CreateProjectParams{AccountId: account}, body)).JSON201
	w.t.Cleanup(func() {
		if _, err := w.DeleteProjectWithResponse(context.WithoutCancel(w.ctx), made.Id); err != nil {
			w.refused(http.StatusNotFound, err) // the walk deleted it
		}
	})
	return made
}

// join accepts an invitation as a new user does in a browser.
func (w walker) join(invitation, name string) {
	w.t.Helper()
	form := url.Values{"name": {name}, "new_password": {"a walk in the wet park"}}
	r := must(http.NewRequestWithContext(w.ctx, http.MethodPost, *base+"/invitations/"+invitation, strings.NewReader(form.Encode())))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer := must(http.DefaultTransport.RoundTrip(r))
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusSeeOther {
		w.t.Fatalf("the page of the invitation answered with status %d, want a redirect", answer.StatusCode)
	}
}
