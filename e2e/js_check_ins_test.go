package e2e

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// jsCheckIn is a check-in as the JavaScript client's configuration has it, or as the interface shows it.
type jsCheckIn struct {
	ID, Slug, Name, State string
	ScheduleType          string `json:"schedule_type"`
	ReportPeriod          string `json:"report_period"`
	CronSchedule          string `json:"cron_schedule"`
}

// nodeCheckIns has the client's own command keep check-ins in step with a configuration, and the client tell them.
func nodeCheckIns(t *testing.T, s *server, endpoint string) {
	m, dir := s.manage(t), t.TempDir()
	path := fmt.Sprintf("/v2/projects/%d/check_ins", s.ProjectID)
	sync := func(checkIns ...map[string]any) {
		t.Helper()
		config, err := json.Marshal(map[string]any{
			"apiKey": s.APIKey, "personalAuthToken": s.AuthToken, "endpoint": endpoint, "appEndpoint": endpoint, "checkins": checkIns,
		})
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "honeybadger.config.js"), append([]byte("module.exports = "), config...))
		node(t, dir, "node_modules/@honeybadger-io/js/scripts/check-ins-sync-bin.js")
	}
	backup := map[string]any{"slug": "backup", "scheduleType": "simple", "reportPeriod": "1 hour"}
	nightly := map[string]any{"slug": "nightly", "name": "Nightly", "scheduleType": "cron", "cronSchedule": "30 2 * * *", "cronTimezone": "UTC", "gracePeriod": "10 minutes"}
	sync(backup, nightly)
	made := list[jsCheckIn](m, path)
	if len(made) != 2 || made[0].Slug != "backup" || made[0].ReportPeriod != "1 hour" || made[1].Name != "Nightly" || made[1].CronSchedule != "30 2 * * *" {
		t.Fatalf("the client made %+v", made)
	}
	node(t, dir, "night.js", made[1].ID)
	for _, c := range list[jsCheckIn](m, path) {
		if c.State != "reporting" {
			t.Errorf("the client told of %s, which is %s", c.Slug, c.State)
		}
	}

	updates := func() int {
		return len(list[struct{ ID int64 }](m, "/v2/accounts/"+s.AccountID+"/audit_log?action=updateCheckIn"))
	}
	if sync(backup, nightly); updates() != 0 {
		t.Error("the client changed what it had made itself: what it reads is not what it wrote")
	}
	backup["reportPeriod"] = "2 hours"
	sync(backup)
	left := list[jsCheckIn](m, path)
	if len(left) != 1 || updates() != 1 || left[0].ID != made[0].ID || left[0].ReportPeriod != "2 hours" || left[0].State != "pending" {
		t.Errorf("after another configuration there are %+v", left)
	}
}

// node runs a program of the JavaScript client in a directory.
func node(t testing.TB, dir, program string, arguments ...string) {
	t.Helper()
	file, err := filepath.Abs(filepath.Join(jsDir, program))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", append([]string{file}, arguments...)...)
	cmd.Dir, cmd.Env = dir, environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("node %s: %v\n%s", program, err, out)
	}
}
