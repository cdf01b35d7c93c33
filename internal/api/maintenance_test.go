package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
)

// A window is planned, changed, started, ended and deleted through the API; what is wrong is refused with a reason.
func TestMaintenanceWindows(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		path := projectPath(s.Setup.ProjectID, "/maintenance_windows")
		for wrong, says := range map[string]string{
			`{}`: "maintenance_window", `{"maintenance_window":{"ends_at":"soon"}}`: "ends_at", `{"maintenance_window":{"errors":"x"}}`: "errors",
			`{"maintenance_window":{"check_in_ids":["x"]}}`: "check_in_ids",
		} {
			if text := s.Post(path, wrong).Want(http.StatusUnprocessableEntity).Errors(); !strings.Contains(text, says) {
				t.Errorf("%s is answered %q", wrong, text)
			}
		}
		starts := s.Clock.Now().Add(time.Hour).UTC().Truncate(time.Second)
		var made, got api.MaintenanceWindow
		s.Post(path, fmt.Sprintf(`{"maintenance_window":{"reason":" Upgrade ","starts_at":%q,"errors":true}}`, starts.Format(time.RFC3339))).Want(http.StatusCreated).Into(&made)
		if made.State != "planned" || made.Reason != "Upgrade" || !made.StartsAt.Equal(starts) || !made.UntilEnded || !made.Errors || made.CreatedBy == nil || made.SiteIDs == nil {
			t.Errorf("made %+v", made)
		}
		one := fmt.Sprint(path, "/", made.ID)
		s.Post(one+"/end", "").Want(http.StatusConflict)
		s.Do("PUT", one, fmt.Sprintf(`{"maintenance_window":{"starts_at":null,"ends_at":%q}}`, starts.Add(time.Hour).Format(time.RFC3339))).Want(http.StatusNoContent)
		s.Clock.Push(90 * time.Minute)
		s.Get(one).Want(http.StatusOK).Into(&got)
		if got.State != "active" || got.UntilEnded || got.CompletedAt != nil {
			t.Errorf("an hour and a half later it is %+v", got)
		}
		s.Do("PUT", one, `{"maintenance_window":{"errors":false}}`).Want(http.StatusUnprocessableEntity)
		s.Do("DELETE", one, "").Want(http.StatusConflict)
		s.Post(one+"/end", "").Want(http.StatusOK)
		s.Post(one+"/end", "").Want(http.StatusConflict)
		if err := s.App.Store().Deliveries.SettleMaintenance(t.Context(), s.Clock.Now()); err != nil {
			t.Fatal(err)
		}
		var list serve.List[api.MaintenanceWindow]
		s.Get(path).Want(http.StatusOK).Into(&list)
		if len(list.Results) != 1 || list.Results[0].State != "ended" || list.Results[0].CompletedAt == nil {
			t.Errorf("the list is %+v", list.Results)
		}
		member, _ := s.AddUser(t, "member@example.test", accounts.Member)
		member.Do("GET", path, "").Want(http.StatusNotFound)
		s.Do("DELETE", one, "").Want(http.StatusNoContent)
		s.Do("GET", one, "").Want(http.StatusNotFound)
	})
}
