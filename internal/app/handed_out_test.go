package app_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"sett/internal/sett"
	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
	"sett/internal/store"
)

// handedOut are the addresses of a server that it hands out, each with where it was found first.
type handedOut struct {
	base  string
	found map[string]string
}

var addressIn = regexp.MustCompile(`https?://[^\s"'<>\\)]+`)

// readText notes the addresses in a text, without the mark that ends a sentence.
func (h handedOut) readText(where, text string) {
	for _, address := range addressIn.FindAllString(text, -1) {
		address = strings.TrimRight(strings.ReplaceAll(address, "&amp;", "&"), ".,;:")
		path, own := strings.CutPrefix(address, h.base)
		if own && h.found[path] == "" {
			h.found[path] = where
		}
	}
}

// readJSON notes the addresses in all strings of a value.
func (h handedOut) readJSON(where string, value any) {
	switch v := value.(type) {
	case string:
		h.readText(where, v)
	case []any:
		for _, one := range v {
			h.readJSON(where+"[]", one)
		}
	case map[string]any:
		for name, one := range v {
			h.readJSON(where+"."+name, one)
		}
	}
}

// readBody notes the addresses in an answer: in the strings of JSON, or in the whole text.
func (h handedOut) readBody(where string, body []byte) {
	var value any
	if json.Unmarshal(body, &value) == nil {
		h.readJSON(where, value)
		return
	}
	h.readText(where, string(body))
}

// readAPI notes the addresses in all answers of the API about the things.
func (h handedOut) readAPI(t *testing.T, s *setttest.Server, o things) (asked int) {
	t.Helper()
	var document struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal([]byte(visitor.New(t, s).Get("/openapi.json").Want(http.StatusOK).Body), &document); err != nil {
		t.Fatal(err)
	}
	for pattern, methods := range document.Paths {
		path := pattern
		for name, id := range o.ids {
			path = strings.ReplaceAll(path, "{"+name+"}", id)
		}
		if methods["get"] == nil || !strings.HasPrefix(path, "/v2/") || strings.Contains(path, "{") || strings.HasSuffix(path, "/backup") {
			continue
		}
		if answer := s.Do(http.MethodGet, path, nil); answer.Status == http.StatusOK {
			h.readBody("GET "+pattern, answer.Body)
			asked++
		}
	}
	return asked
}

// Every address of a page that the API hands out leads somewhere for the one who is signed in.
func TestAddressesHandedOutLeadSomewhere(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	o := furnish(t, s, s.Client, s.Setup.AccountID, s.Setup.UserID, s.Setup.ProjectID, s.Setup.APIKey)
	const email, password = "second@example.test", "seven lonely walruses"
	if _, err := s.App.Store().CreateUser(t.Context(), s.Clock.Now(), store.NewUser{
		AccountID: s.Setup.AccountID, Email: email, Name: "Second", Role: sett.Owner, Password: setttest.PasswordCost.Hash(password),
	}); err != nil {
		t.Fatal(err)
	}
	out := handedOut{s.App.BaseURL(), map[string]string{}}
	if asked := out.readAPI(t, s, o); asked < 40 {
		t.Errorf("only %d addresses of the API were asked", asked)
	}
	browser := visitor.New(t, s).SignIn(email, password)
	for path, where := range out.found {
		if got := browser.Get(path); got.Status == http.StatusNotFound || got.Status >= 500 {
			t.Errorf("%s hands out %s, which answers %d", where, path, got.Status)
		}
	}
	if len(out.found) < 10 {
		t.Errorf("only %d addresses were found: %v", len(out.found), out.found)
	}
}
