package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
)

func TestScrubbing(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		path := projectPath(s.Setup.ProjectID, "/scrubbing")
		get := func() (got api.Scrubbing) {
			t.Helper()
			var body struct{ Scrubbing api.Scrubbing }
			s.Do("GET", path, "").Want(http.StatusOK).Into(&body)
			return body.Scrubbing
		}
		fresh := api.Scrubbing{Enabled: true, Defaults: true, Names: []string{}, Keep: []string{}, Patterns: []string{}, Removed: map[string]int64{}}
		if diff := cmp.Diff(fresh, get()); diff != "" {
			t.Errorf("at first (-want +got):\n%s", diff)
		}
		member, _ := s.AddUser(t, "member@example.test", accounts.Member)
		member.Do("PUT", path, `{"scrubbing":{"enabled":false}}`).Want(http.StatusNotFound)
		for wrong, says := range map[string]string{
			`{}`: "scrubbing", `{"scrubbing":{"patterns":["("]}}`: "not a regular expression", `{"scrubbing":{"names":"vat_id"}}`: "names",
			`{"scrubbing":{"enabled":"yes please"}}`: "enabled", `{"scrubbing":{"keep":["**"]}}`: "keep",
		} {
			if text := s.Do("PUT", path, wrong).Want(http.StatusUnprocessableEntity).Errors(); !strings.Contains(text, says) {
				t.Errorf("%s is answered %q", wrong, text)
			}
		}
		s.Do("PUT", path, `{"scrubbing":{"names":["vat_id"],"patterns":["CUST-[0-9]+"]}}`).Want(http.StatusNoContent)
		s.Do("PUT", path, `{"scrubbing":{"keep":["csrf_token"],"defaults":false}}`).Want(http.StatusNoContent)
		want := api.Scrubbing{Enabled: true, Names: []string{"vat_id"}, Keep: []string{"csrf_token"}, Patterns: []string{"CUST-[0-9]+"}, Removed: map[string]int64{}}
		if diff := cmp.Diff(want, get()); diff != "" {
			t.Errorf("after two changes (-want +got):\n%s", diff)
		}
		s.Do("PUT", path, `{"scrubbing":{"names":null,"keep":null,"patterns":null,"defaults":null}}`).Want(http.StatusNoContent)
		if diff := cmp.Diff(fresh, get()); diff != "" {
			t.Errorf("reset (-want +got):\n%s", diff)
		}
	})
}
