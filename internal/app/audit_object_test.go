package app_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

// The audit log says what an object was called when it was changed, also once it is deleted.
func TestAuditLogNamesObjects(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := setttest.Start(t, engine)
			all := furnish(t, s, s.Client, s.Setup.AccountID, s.Setup.UserID, s.Setup.ProjectID, s.Setup.APIKey)
			object := func() string {
				t.Helper()
				entries, _, err := s.App.Store().Accounts.ListAudit(t.Context(), s.Setup.AccountID, accountdb.AuditFilter{Page: sett.Page{Size: 1}})
				if err != nil || len(entries) != 1 {
					t.Fatalf("%+v, %v", entries, err)
				}
				return entries[0].Object
			}
			got := map[string]string{}
			for _, key := range []string{
				"fault_id", "site_id", "check_in_id", "alarm_id", "incident_id", "template_id", "status_component_id", "status_page_id", "integration_id", "environment_id", "deploy_id", "window_id",
				"search_id", "invitation_id", "member_id", "project_id",
			} {
				s.Clock.Push(1)
				ctx := accountdb.WithAudit(t.Context(), func() accounts.AuditEntry {
					return accounts.AuditEntry{AccountID: s.Setup.AccountID, At: s.Clock.Now(), Target: map[string]string{key: all.ids[key]}}
				})
				if err := s.App.Store().InTx(ctx, "change", func(*db.Tx) error { return nil }); err != nil {
					t.Fatal(err)
				}
				got[key] = object()
			}
			want := map[string]string{
				"fault_id": "Boom: m", "site_id": "Front", "check_in_id": "Job", "alarm_id": "Bell", "incident_id": "Slow", "template_id": "Payments", "status_component_id": "Front", "status_page_id": "Page of 1",
				"integration_id": "Github", "environment_id": "staging", "deploy_id": "aaa1", "window_id": "Upgrade", "search_id": "S",
				"invitation_id": "i@1.test", "member_id": "Olga Owner", "project_id": "",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			s.Delete("/v2/projects/" + all.ids["project_id"] + "/faults/" + all.ids["fault_id"]).Want(204)
			if got := object(); got != "Boom: m" {
				t.Errorf("a deleted error is called %q", got)
			}
		})
	}
}
