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

func TestOwnership(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		path := projectPath(s.Setup.ProjectID, "/ownership")
		get := func() (got api.Ownership) {
			t.Helper()
			var body struct{ Ownership api.Ownership }
			s.Do("GET", path, "").Want(http.StatusOK).Into(&body)
			return body.Ownership
		}
		if diff := cmp.Diff(api.Ownership{Unknown: []string{}}, get()); diff != "" {
			t.Errorf("at first (-want +got):\n%s", diff)
		}
		member, _ := s.AddUser(t, "member@example.test", accounts.Member)
		member.Do("PUT", path, `{"ownership":{"rules":""}}`).Want(http.StatusNotFound)
		for wrong, says := range map[string]string{
			`{}`: "ownership", `{"ownership":{"rules":"app/ ines"}}`: "line 1", `{"ownership":{"rules":[5]}}`: "rules", `{"ownership":{"notify_only_owners":"x"}}`: "notify_only_owners",
		} {
			if text := s.Do("PUT", path, wrong).Want(http.StatusUnprocessableEntity).Errors(); !strings.Contains(text, says) {
				t.Errorf("%s is answered %q", wrong, text)
			}
		}
		s.Do("PUT", path, `{"ownership":{"rules":"* @nothing\n/app/ olga@example.org gone@example.test"}}`).Want(http.StatusNoContent)
		s.Do("PUT", path, `{"ownership":{"notify_only_owners":true}}`).Want(http.StatusNoContent)
		got := get()
		if !strings.Contains(got.Rules, "/app/ olga") || !got.OnlyOwners || !cmp.Equal(got.Unknown[len(got.Unknown)-1], "gone@example.test") || got.Unknown[0] != "@nothing" {
			t.Errorf("after two changes: %+v", got)
		}
		s.Do("PUT", path, `{"ownership":{"rules":null,"notify_only_owners":null}}`).Want(http.StatusNoContent)
		if diff := cmp.Diff(api.Ownership{Unknown: []string{}}, get()); diff != "" {
			t.Errorf("reset (-want +got):\n%s", diff)
		}
	})
}
