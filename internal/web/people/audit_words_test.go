package people

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
)

func TestActionWords(t *testing.T) {
	t.Parallel()
	for action, want := range map[string]string{
		"makeStatusPage": "Create status page", "changeAlerts": "Change alerts", "dropFactor": "Remove factor", "login": "Login", "": "",
	} {
		if got := actionWords(action); got != want {
			t.Errorf("%s: %q, want %q", action, got, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	e := accounts.AuditEntry{AccountID: "acme", Action: "changeFault", Target: map[string]string{
		"project_id": "7", "fault_id": "12", "status_page_id": "p", "comment_id": "3", "team_id": "2",
	}}
	want := []place{{"comment 3", ""}, {"fault 12", "/projects/7/faults/12"}, {"project 7", "/projects/7"}, {"status page p", "/accounts/acme/status_pages/p"}, {"team 2", "/teams/2"}}
	if diff := cmp.Diff(want, placesOf(e)); diff != "" {
		t.Error(diff)
	}
	e.Action = "deleteFault"
	for _, p := range placesOf(e) {
		if p.Path != "" {
			t.Errorf("what was deleted leads to %s", p.Path)
		}
	}
}
