package operate_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/internal/app/operate"
	"sett/internal/sett"
	"sett/internal/setttest"
	"sett/internal/store"
	"sett/internal/store/accountdb"
)

// The command erases beside a running server, which completes what the command cannot.
func TestEraseCommandBesideAServer(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		for range 3 {
			s.Do("POST", "/v1/notices", `{"error":{"class":"A"},"request":{"context":{"user_id":"4711"}}}`).Want(http.StatusCreated)
		}
		ctx, project := t.Context(), s.Setup.ProjectID
		found, err := operate.PreviewErasure(ctx, s.Config.Installation(), project, "4711")
		if want := (operate.ErasedUser{Project: "Shop", User: "4…", Found: 3, Errors: 1}); err != nil || found != want {
			t.Errorf("preview: %+v, %v; want %+v", found, err, want)
		}
		r, err := operate.EraseUser(ctx, s.Config.Installation(), project, "4711")
		if err != nil || r.Project != "Shop" || r.User != "4…" || !r.More && r.Found != 3 {
			t.Errorf("erased: %+v, %v", r, err)
		}
		o := store.Purge{Now: s.Clock.Now, Holder: "test", Rest: func(context.Context, time.Duration) error { return nil }}
		if err := s.App.Store().SweepErasures(ctx, o); err != nil {
			t.Fatal(err)
		}
		if found, err := operate.PreviewErasure(ctx, s.Config.Installation(), project, "4711"); err != nil || found.Found != 0 {
			t.Errorf("after the server has completed it: %+v, %v", found, err)
		}
		entries, _, err := s.App.Store().Accounts.ListAudit(ctx, s.Setup.AccountID, accountdb.AuditFilter{Actions: []string{"createErasure"}, Page: sett.Page{Size: 5}})
		if err != nil || len(entries) != 1 || entries[0].Target["project_id"] != fmt.Sprint(project) || strings.Contains(fmt.Sprint(entries), "4711") {
			t.Errorf("audit log: %+v, %v", entries, err)
		}
		if _, err := operate.EraseUser(ctx, s.Config.Installation(), 99, "4711"); sett.CodeOf(err) != sett.Invalid || !strings.Contains(err.Error(), "99 is not the id of a project") {
			t.Errorf("of no project: %v", err)
		}
	})
}
