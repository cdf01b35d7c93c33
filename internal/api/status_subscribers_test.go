package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/sett/status"
	"sett/internal/setttest"
)

func subscribersPath(s *setttest.Server, page, rest string) string {
	return "/v2/accounts/" + s.Setup.AccountID + "/status_pages/" + page + "/subscribers" + rest
}

// subscribed makes a subscriber who has not confirmed, and returns their id.
func subscribed(t *testing.T, s *setttest.Server, page, address string) int64 {
	t.Helper()
	if err := s.App.Store().Status.SubscribeEmail(t.Context(), s.Clock.Now(), page, address); err != nil {
		t.Fatal(err)
	}
	var list serve.List[api.Subscriber]
	s.Get(subscribersPath(s, page, "")).Want(http.StatusOK).Into(&list)
	return list.Results[len(list.Results)-1].ID
}

func TestSubscribersAreListedAndDeleted(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		page, other := createStatusPage(t, s, `"name":"Shop"`).ID, createStatusPage(t, s, `"name":"Shop"`).ID
		ann, bob := subscribed(t, s, page, "ann@example.test"), subscribed(t, s, page, "bob@example.test")
		subscribed(t, s, other, "cid@example.test")
		view := func(id int64, address string) api.Subscriber {
			return api.Subscriber{ID: id, Kind: status.EmailSubscriber, Address: address, CreatedAt: s.Clock.Now()}
		}
		wantList := func(what, query string, want ...api.Subscriber) (list serve.List[api.Subscriber]) {
			t.Helper()
			s.Get(subscribersPath(s, page, query)).Want(http.StatusOK).Into(&list)
			if diff := cmp.Diff(want, list.Results); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
			return list
		}
		wantList("all", "", view(ann, "ann@example.test"), view(bob, "bob@example.test"))
		wantList("the first", "?limit=1", view(ann, "ann@example.test"))
		member, _ := s.AddUser(t, "member@example.test", accounts.Member)
		for name, answer := range map[string]*setttest.Response{
			"a member lists": member.Do("GET", subscribersPath(s, page, ""), nil), "a member deletes": member.Do("DELETE", subscribersPath(s, page, fmt.Sprint("/", ann)), nil),
		} {
			if answer.Status != http.StatusForbidden {
				t.Errorf("%s: %d", name, answer.Status)
			}
		}
		s.Do("DELETE", subscribersPath(s, other, fmt.Sprint("/", ann)), nil).Want(http.StatusNotFound)
		s.Do("GET", subscribersPath(s, "nothing", ""), nil).Want(http.StatusNotFound)
		if err := s.App.Store().Status.SubscribeWebHook(t.Context(), s.Clock.Now(), other, "https://hook.example.test/in?key=hush", "whsec_x"); err != nil {
			t.Fatal(err)
		}
		if list := string(s.Get(subscribersPath(s, other, "")).Want(http.StatusOK).Body); !strings.Contains(list, `"https://hook.example.test/in?…"`) || strings.Contains(list, "whsec_x") {
			t.Errorf("a webhook is listed with its secrets: %s", list)
		}
		s.Delete(subscribersPath(s, page, fmt.Sprint("/", ann))).Want(http.StatusNoContent)
		s.Do("DELETE", subscribersPath(s, page, fmt.Sprint("/", ann)), nil).Want(http.StatusNotFound)
		wantList("what is left", "", view(bob, "bob@example.test"))
	})
}
