package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/setttest"
)

// suggestions returns the suggestions for what is typed, as lines.
func suggestions(s *setttest.Server, typed string) (lines []string) {
	var found []api.Suggestion
	s.Get(faultsPath(s, "/suggestions?q="+url.QueryEscape(typed))).Into(&found)
	for _, f := range found {
		line := f.Kind + " " + f.Text
		if f.FaultsCount != nil {
			line += fmt.Sprintf(" %d faults", *f.FaultsCount)
		}
		if f.NoticesCount != nil {
			line += fmt.Sprintf(" %d notices", *f.NoticesCount)
		}
		lines = append(lines, line)
	}
	return lines
}

const suggestedNotice = `{"error":{"class":"Boom"},"request":{"context":{"plan":%q,"api_token":"sesame"},"params":{"password":"sesame"}},
"server":{"hostname":"web-1","environment_name":"production","revision":"4f2a9c1e7b"}}`

func TestFaultSuggestions(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		if got := strings.TrimSpace(string(s.Get(faultsPath(s, "/suggestions?q=context.")).Body)); got != "[]" {
			t.Errorf("without notices: %s", got)
		}
		for _, plan := range []string{"gold", "gold", "gold fish"} {
			s.Post("/v1/notices", fmt.Sprintf(suggestedNotice, plan)).Want(http.StatusCreated)
		}
		for typed, want := range map[string][]string{
			"env":                {"key environment:"},
			"environment:pr":     {"value environment:production 1 faults"},
			"context.pl":         {"key context.plan: 3 notices"},
			"context.plan:g":     {"value context.plan:gold 2 notices", `value context.plan:"gold fish" 1 notices`},
			"-revision:4f":       {"value -revision:4f2a9c1e7b 3 notices"},
			"assignee:m":         {"value assignee:me"},
			"sesame":             nil,
			"password":           nil,
			"api_token":          nil,
			"context.api_token:": nil,
			"params.password:":   nil,
		} {
			if diff := cmp.Diff(want, suggestions(s, typed)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", typed, diff)
			}
		}
		for typed, want := range map[string]string{
			"is:open env": "q must be a single term, such as environment:prod; put a value with spaces in quotes",
		} {
			if text := s.Do("GET", faultsPath(s, "/suggestions?q="+url.QueryEscape(typed)), nil).Want(http.StatusUnprocessableEntity).Errors(); text != "Please correct: "+want+"." {
				t.Errorf("%s: %s", typed, text)
			}
		}
	})
}
