package settings_test

import (
	"fmt"
	"net/http"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
)

// The page says of each channel and person whether an alert would reach them, and why not. With mail off, people are not listed.
func TestWhoIsNotified(t *testing.T) {
	t.Parallel()
	h := open(t)
	page := h.root + "/notified"
	h.channel(map[string]any{"url": "http://127.0.0.1:9/x"}, alerts.IntegrationChange{
		Events: sett.Some([]string{"occurred", "down"}), Filters: sett.Some([]alerts.IntegrationFilter{{Event: "occurred", Query: "class:Other"}}),
	})
	h.member.Get(page).Want(200, `title="Only errors that a filter of the channel matches."`, "Filtered</", "Site down", "This server sends no email").CheckPage()
	h.Post("/v1/notices", map[string]any{"error": map[string]any{"class": "Lost<b>", "message": "x"}}).Want(http.StatusCreated)
	h.member.Get(page+"?error=1").Want(200, "Lost&lt;b&gt;: x", "No filter of the channel matches this error.").Lacks("Site down").CheckPage()
	h.channel(map[string]any{"url": "http://127.0.0.1:9/y"}, alerts.IntegrationChange{Events: sett.Some([]string{"occurred"})})
	h.member.Get(page+"?error=1").Want(200, "Selected.").Lacks("The error is paused or ignored.")
	h.Do("PUT", fmt.Sprintf("/v2/projects/%d/faults/1", h.Setup.ProjectID), `{"fault":{"ignored":true}}`)
	h.member.Get(page+"?error=1").Want(200, "The error is paused or ignored.")
	for _, nothing := range []string{"?error=9", "?error=x", "?site=x", "?check_in=x"} {
		h.member.Get(page + nothing).Want(404)
	}
}
