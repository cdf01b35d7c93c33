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
	"sett/internal/setttest"
)

func TestAnErasureFromRequestToEnd(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		for class, user := range map[string]string{"A": "ines@example.test", "B": "Ines@example.test", "C": "olaf@example.test"} {
			s.Do("POST", "/v1/notices", fmt.Sprintf(`{"error":{"class":%q},"request":{"context":{"user_email":%q}}}`, class, user)).Want(http.StatusCreated)
		}
		path := projectPath(s.Setup.ProjectID, "/erasures")
		const body = `{"erasure":{"user":" INES@example.test"}}`
		member, _ := s.AddUser(t, "member@example.test", accounts.Member)
		member.Do("POST", path, body).Want(http.StatusNotFound)
		if text := readerOf(t, s).Do("POST", path, body).Want(http.StatusForbidden).Errors(); !strings.Contains(text, "read-only") {
			t.Errorf("with a token that may only read: %s", text)
		}
		for _, wrong := range []string{`{}`, `{"erasure":{}}`, `{"erasure":{"user":" "}}`, `{"erasure":{"user":[7]}}`} {
			s.Do("POST", path, wrong).Want(http.StatusUnprocessableEntity)
		}

		var made api.Erasure
		s.Do("POST", path, body).Want(http.StatusCreated).Into(&made)
		if made.State == "running" || made.User != "I…@example.test" || made.NoticesCount != 2 || made.FaultsCount != 2 || made.NoticesLeft != 0 || made.DeletedAt == nil {
			t.Errorf("made: %+v", made)
		}
		if got := klasses(listFaults(s, "?q=user:ines@example.test")); len(got) != 0 {
			t.Errorf("found: %v", got)
		}
		if got := klasses(listFaults(s, "?q=user:olaf@example.test")); len(got) != 1 {
			t.Errorf("of the other user, found: %v", got)
		}

		var list serve.List[api.Erasure]
		var one api.Erasure
		s.Get(path).Into(&list)
		s.Get(fmt.Sprint(path, "/", made.ID)).Into(&one)
		if len(list.Results) != 1 || list.Results[0].ID != made.ID || one.User != made.User || one.CreatedBy == nil || one.CreatedBy.ID != s.Setup.UserID {
			t.Errorf("listed %+v, read %+v", list.Results, one)
		}
		s.Do("GET", path+"/999", nil).Want(http.StatusNotFound)
		entries := auditLog(s, "?action=createErasure")
		if len(entries) != 1 {
			t.Fatalf("audit log: %+v", entries)
		}
		if diff := cmp.Diff(`{"erasure":{"user":"I…@example.test"}}`, string(entries[0].Changes.RawMessage)); diff != "" {
			t.Errorf("audit log (-want +got):\n%s", diff)
		}
	})
}
