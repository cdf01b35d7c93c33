package ingest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/sett/move"
	"sett/internal/store/movedb"
)

const (
	oldUUID = "f618072a-7bde-4eee-af63-71a77c5723bc"
	oldKey  = "fqOOd6-F4MMNuCEnzTU01w"
)

// Jobs of check-ins that were imported go on to report at their old addresses, and get the answers of the old server.
func TestJobsReportAtOldAddresses(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	watching := o.store.Moves.Watch(movedb.Watching{From: move.Place{Source: "kuma", Host: "a"}, ProjectID: o.setup.ProjectID, Now: o.now})

	a, err := watching.CheckIn(t.Context(), move.CheckIn{
		ID: "4", Name: "Backup", Every: 3600e9, Aliases: []string{move.KumaAlias("AbCd"), move.PingAlias(oldUUID), move.PingAlias("key/backup"), move.PingAlias(oldKey + "/backup")},
	})
	if err != nil || a.Outcome != movedb.Made {
		t.Fatalf("%+v, %v", a, err)
	}
	c := checks.CheckIn{ProjectID: o.setup.ProjectID, ID: a.ID}
	const elsewhere = `{"errors":"Not found. Check the URL."}`
	const yes, no = `{"ok":true}`, `{"ok":false,"msg":"Monitor not found or not active."}`
	for _, try := range []struct {
		method, path, body string
		status             int
		says               string
		state              sett.CheckInState
	}{
		{http.MethodGet, "/api/push/AbCd?status=up&msg=OK&ping=12", "", 200, yes, sett.CheckInReporting},
		{http.MethodGet, "/api/push/AbCd?status=down&msg=Disk+full", "", 200, yes, sett.CheckInFailing},
		{http.MethodGet, "/api/push/AbCd", "", 200, yes, sett.CheckInReporting},
		{http.MethodGet, "/api/push/abcd?status=down", "", 404, no, sett.CheckInReporting},
		{http.MethodPost, "/ping/" + oldUUID + "/fail", "Disk full", 200, "OK", sett.CheckInFailing},
		{http.MethodGet, "/ping/" + strings.ToUpper(oldUUID), "", 200, "OK", sett.CheckInReporting},
		{http.MethodPost, "/ping/" + oldUUID + "/3", "", 200, "OK", sett.CheckInFailing},
		{http.MethodPost, "/ping/" + oldUUID + "/log", "a line", 200, "OK", sett.CheckInFailing},
		{http.MethodGet, "/ping/key/backup/0", "", 200, "OK", sett.CheckInReporting},
		{http.MethodGet, "/ping/key/backup/start?rid=" + oldUUID, "", 200, "OK", sett.CheckInReporting},
		{http.MethodGet, "/ping/key/backup?rid=" + oldUUID, "", 200, "OK", sett.CheckInReporting},
		{http.MethodPost, "/api/push/AbCd?status=down", "{}", 200, yes, sett.CheckInFailing},
		{http.MethodGet, "/" + oldUUID, "", 200, "OK", sett.CheckInReporting},
		{http.MethodPost, "/" + oldUUID + "/fail", "Disk full", 200, "OK", sett.CheckInFailing},
		{http.MethodHead, "/" + oldKey + "/backup", "", 200, "OK", sett.CheckInReporting},
		{http.MethodGet, "/" + oldKey + "/backup/1", "", 200, "OK", sett.CheckInFailing},
		{http.MethodGet, "/" + oldUUID + "/0", "", 200, "OK", sett.CheckInReporting},
		{http.MethodDelete, "/" + oldUUID + "/fail", "", 404, elsewhere, sett.CheckInReporting},
		{http.MethodGet, "/key/backup/1", "", 404, elsewhere, sett.CheckInReporting},
		{http.MethodPost, "/api/push/AbCd/1?status=down", "", 404, elsewhere, sett.CheckInReporting},
		{http.MethodGet, "/ping/key/other", "", 404, "not found", sett.CheckInReporting},
		{http.MethodGet, "/ping/" + oldUUID + "/999", "", 404, "not found", sett.CheckInReporting},
		{http.MethodGet, "/ping/" + oldUUID + "/fail/more", "", 404, "not found", sett.CheckInReporting},
	} {
		w := httptest.NewRecorder()
		o.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), try.method, try.path, strings.NewReader(try.body)))
		if got := strings.TrimSpace(w.Body.String()); w.Code != try.status || got != try.says {
			t.Errorf("%s %s: %d %s", try.method, try.path, w.Code, got)
		}
		if got, _ := o.again(t, c); got.State != try.state {
			t.Errorf("%s %s: the check-in is %s, want %s", try.method, try.path, got.State, try.state)
		}
	}
	_, payloads := o.again(t, c)
	said := false
	for _, p := range payloads {
		said = said || p != nil && p.Stdout == "Disk full" && p.Failed()
	}
	if !said {
		t.Errorf("what the job printed is not kept: %+v", payloads)
	}
}
