package clients

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"sett/e2e/rig"
	"sett/internal/setttest/program"
)

// jsCheckIn is a check-in as the JavaScript client's configuration has it, or as the interface shows it.
type jsCheckIn struct {
	ID, Slug, Name, State string
	ScheduleType          string `json:"schedule_type"`
	ReportPeriod          string `json:"report_period"`
	CronSchedule          string `json:"cron_schedule"`
}

// nodeCheckIns has the client's own command keep check-ins in step with a configuration, and the client report to them.
func nodeCheckIns(t *testing.T, s *rig.Server, endpoint string) {
	m, dir := s.Manage(t), t.TempDir()
	path := fmt.Sprintf("/v2/projects/%d/check_ins", s.ProjectID)
	changes := func() (n int) {
		for _, action := range []string{"createCheckIn", "updateCheckIn", "deleteCheckIn"} {
			n += len(rig.List[struct{ ID int64 }](m, "/v2/accounts/"+s.AccountID+"/audit_log?action="+action))
		}
		return n
	}
	sync := func(checkIns ...map[string]any) {
		t.Helper()
		config, err := json.Marshal(map[string]any{
			"apiKey": s.APIKey, "personalAuthToken": s.AuthToken, "endpoint": endpoint, "appEndpoint": endpoint, "checkins": checkIns,
		})
		if err != nil {
			t.Fatal(err)
		}
		rig.WriteFile(t, filepath.Join(dir, "honeybadger.config.js"), append([]byte("module.exports = "), config...))
		node(t, dir, "node_modules/@honeybadger-io/js/scripts/check-ins-sync-bin.js")
	}
	backup := map[string]any{"slug": "backup", "scheduleType": "simple", "reportPeriod": "1 hour"}
	nightly := map[string]any{"slug": "nightly", "name": "Nightly", "scheduleType": "cron", "cronSchedule": "30 2 * * *", "cronTimezone": "UTC", "gracePeriod": "10 minutes"}
	sync(backup, nightly)
	made := rig.List[jsCheckIn](m, path)
	if len(made) != 2 || made[0].Slug != "backup" || made[0].ReportPeriod != "1 hour" || made[1].Name != "Nightly" || made[1].CronSchedule != "30 2 * * *" {
		t.Fatalf("the client made %+v", made)
	}
	node(t, dir, "night.js", made[1].ID)
	for _, c := range rig.List[jsCheckIn](m, path) {
		if c.State != "reporting" {
			t.Errorf("the client reported %s, which is %s", c.Slug, c.State)
		}
	}

	var sixty []map[string]any
	for i := range 60 {
		sixty = append(sixty, map[string]any{"slug": fmt.Sprintf("job-%02d", i), "scheduleType": "simple", "reportPeriod": "1 day"})
	}
	updates := func() int {
		return len(rig.List[struct{ ID int64 }](m, "/v2/accounts/"+s.AccountID+"/audit_log?action=updateCheckIn"))
	}
	if sync(backup, nightly); updates() != 0 {
		t.Error("the client changed what it had made itself: what it reads is not what it wrote")
	}
	backup["reportPeriod"] = "2 hours"
	sync(backup)
	left := rig.List[jsCheckIn](m, path)
	if len(left) != 1 || updates() != 1 || left[0].ID != made[0].ID || left[0].ReportPeriod != "2 hours" || left[0].State != "pending" {
		t.Errorf("after another configuration there are %+v", left)
	}

	// More than a page of 25, twice: the client reads the first page of the list alone.
	sync(sixty...)
	if got := rig.List[jsCheckIn](m, path); len(got) != len(sixty) {
		t.Fatalf("the client made %d check-ins of %d", len(got), len(sixty))
	}
	before := changes()
	if sync(sixty...); changes() != before {
		t.Errorf("the second sync of %d check-ins made %d changes", len(sixty), changes()-before)
	}
	firstPageSync(t, m, path)
}

// firstPageSync does what the check-in sync of the PHP client does, which no reachable registry has: it reads the project by
// its key and the first page of its check-ins, and makes those whose slug it did not see there (wire.md §1.2).
func firstPageSync(t *testing.T, m rig.Manager, path string) {
	t.Helper()
	var page struct {
		Results []jsCheckIn
		Links   struct{ Next string }
	}
	m.Get(path, &page)
	seen := map[string]bool{}
	for _, c := range page.Results {
		seen[c.Slug] = true
	}
	for i := range 60 {
		if slug := fmt.Sprintf("job-%02d", i); !seen[slug] {
			t.Errorf("the first page lacks %s, which a sync would try to make again", slug)
		}
	}
	if page.Links.Next != "" {
		t.Errorf("60 check-ins have a second page, %s", page.Links.Next)
	}
}

// node runs a program of the JavaScript client in a directory.
func node(t testing.TB, dir, script string, arguments ...string) {
	t.Helper()
	file, err := filepath.Abs(filepath.Join(rig.JS, script))
	if err != nil {
		t.Fatal(err)
	}
	cmd := program.Bounded("node", append([]string{file}, arguments...)...)
	cmd.Dir, cmd.Env = dir, rig.Environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("node %s: %v\n%s", script, err, out)
	}
}
