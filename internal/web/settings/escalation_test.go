package settings_test

import (
	"fmt"
	"testing"
)

// The form of a channel says where its messages are sent on to, once there is another one, and a form without the field keeps that.
func TestEscalationForm(t *testing.T) {
	t.Parallel()
	h := open(t)
	page := h.root + "/channels"
	fields := func(more ...string) []string {
		return append([]string{"type", "WebHook", "options.url", "https://hook.example.org", "notification_limit", "30", "events", "down"}, more...)
	}
	h.admin.Get(page + "/new?kind=WebHook").Want(200).Lacks("Escalate to")
	h.admin.Post(page, fields("options.label", "First")...).Want(200)
	h.admin.Post(page, fields("options.label", "Second")...).Want(200)
	all, err := h.App.Store().Deliveries.ListIntegrations(t.Context(), h.Setup.ProjectID)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	one, to := fmt.Sprint(page, "/", all[0].ID), fmt.Sprint(all[1].ID)
	h.admin.Get(one).Want(200, "Escalate to", "Second (WebHook)").CheckPage()
	h.admin.Post(one, fields("escalation.channel_id", to, "escalation.minutes", "0")...).Want(422, "must be from 1 to 1440").CheckPage()
	h.admin.Post(one, fields("escalation.channel_id", to, "escalation.minutes", "20")...).Leads(page + "?done=saved")
	h.admin.Get(page).Want(200, "to Second (WebHook) after 20 minutes without an acknowledgement").CheckPage()
	h.admin.Get(page+"/"+to).Want(200, "Also what escalates from WebHook.")
	h.admin.Get(page).Want(200, "Also what escalates from WebHook.")
	h.admin.Post(one, fields()...).Leads(page + "?done=saved")
	h.admin.Get(page).Want(200, "after 20 minutes")
	second := fmt.Sprint(page, "/", to, "/active")
	h.admin.Post(second, "active", "false")
	h.admin.Get(page).Want(200, "to nowhere: Second (WebHook) is turned off").Lacks("after 20 minutes")
	h.admin.Post(second, "active", "true")
	h.admin.Post(one, fields("escalation.channel_id", "", "escalation.minutes", "20")...).Leads(page + "?done=saved")
	h.admin.Get(page).Want(200).Lacks("after 20 minutes")
}
