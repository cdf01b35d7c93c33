package settings_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"sett/internal/notify/channel"
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
	h.member.Get(page).Want(200, `title="Only errors that a filter of the channel matches."`, "Filtered</", `<th scope="colgroup" colspan="5">Site</th>`, `data-label="Site down"`, "This server sends no email").CheckPage()
	h.Post("/v1/notices", map[string]any{"error": map[string]any{"class": "Lost<b>", "message": "x"}}).Want(http.StatusCreated)
	h.member.Get(page+"?error=1").Want(200, "Lost&lt;b&gt;: x", "No filter of the channel matches this error.").Lacks("Site down").CheckPage()
	h.channel(map[string]any{"url": "http://127.0.0.1:9/y"}, alerts.IntegrationChange{Events: sett.Some([]string{"occurred"})})
	h.member.Get(page+"?error=1").Want(200, "Selected.").Lacks("The error is paused or ignored.")
	h.Do("PUT", fmt.Sprintf("/v2/projects/%d/faults/1", h.Setup.ProjectID), `{"fault":{"ignored":true}}`)
	h.member.Get(page+"?error=1").Want(200, "The error is paused or ignored.")
	for _, nothing := range []string{"?error=9", "?error=x", "?site=x", "?check_in=x", "?message=x", "?message=99"} {
		h.member.Get(page + nothing).Want(404)
	}
}

// The page of a message says who got it, by the log, and of the others what today's settings say.
func TestWhoGotAMessage(t *testing.T) {
	t.Parallel()
	h := open(t)
	target := map[string]any{"url": "http://127.0.0.1:9/x"}
	h.channel(target, alerts.IntegrationChange{Events: sett.Some([]string{"occurred"})})
	narrow := h.channel(target, alerts.IntegrationChange{Events: sett.Some([]string{"down"})})
	h.Post("/v1/notices", map[string]any{"error": map[string]any{"class": "Lost", "message": "x"}}).Want(http.StatusCreated)
	store := h.App.Store()
	if _, err := store.Deliveries.FanOutAlerts(t.Context(), h.Clock.Now(), 10, false); err != nil {
		t.Fatal(err)
	}
	page := h.root + "/notified?message=1"
	rows := func() []string {
		t.Helper()
		return regexp.MustCompile(`(?s)<tr><th scope="row">.*?</tr>`).FindAllString(h.member.Get(page).Want(200, "Who got this message", "The log says who got the message.").CheckPage().Body, -1)
	}
	want := func(row, text string) {
		t.Helper()
		if !strings.Contains(row, text) {
			t.Errorf("%q is not in %s", text, row)
		}
	}
	found := rows()
	if len(found) != 2 {
		t.Fatalf("%d rows: %q", len(found), found)
	}
	want(found[0], "So the log says.")
	want(found[1], "By today’s settings: Not selected.")
	change := alerts.IntegrationChange{Events: sett.Some([]string{"occurred"})}
	if err := store.Deliveries.UpdateIntegration(t.Context(), h.Clock.Now(), h.Setup.ProjectID, narrow.ID, channel.Rules(), change); err != nil {
		t.Fatal(err)
	}
	want(rows()[1], "The settings were different then. Today it would be sent.")
}
