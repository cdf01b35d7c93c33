package settings_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store/deliverydb"
)

// The form says what quiet hours are, takes them, and says what is wrong with them; the pages say that it is quiet, and until
// when something waits.
func TestQuietHoursOfAChannel(t *testing.T) {
	t.Parallel()
	h := open(t)
	const url = "http://127.0.0.1:9/x"
	c := h.channel(map[string]any{"url": url}, alerts.IntegrationChange{Events: sett.Some([]string{"deployed"})})
	page := h.root + "/channels"
	one := fmt.Sprint(page, "/", c.ID)
	log := one + "/deliveries"
	now := h.Clock.Now().In(time.FixedZone("Kathmandu", (5*60+45)*60))
	from, to := now.Truncate(time.Minute).Format("15:04"), now.Add(2*time.Hour).Truncate(time.Minute).Format("15:04")
	until := to
	if now.Day() != now.Add(2*time.Hour).Day() {
		until = "tomorrow " + to
	}
	form := func(fields ...string) []string {
		return append([]string{"options.url", url, "notification_limit", "9", "events", "deployed"}, fields...)
	}
	h.admin.Get(one).Want(200, "Quiet hours", `name="quiet_hours.urgent_at_once" type="checkbox" value="true" checked`).Lacks("quiet now", "next quiet hours")
	h.admin.Get(page + "/new?kind=Github").Want(200).Lacks("Quiet hours")

	h.admin.Post(one, form("quiet_hours.from", "25:00", "quiet_hours.to", "", "quiet_hours.time_zone", "Nowhere", "quiet_hours.days", "someday")...).CheckPage().Want(422,
		"Quiet from must be a time of day such as 22:00 or 07:30; &#34;25:00&#34; is none.", "Quiet until can&#39;t be blank", "Time zone &#34;Nowhere&#34; is no time zone",
		"Start days must be some of mon", `value="25:00"`, `value="Nowhere"`)
	h.admin.Post(one, form("quiet_hours.from", "07:00", "quiet_hours.to", "07:00")...).CheckPage().Want(422, "Quiet until must not be the same as from")
	if got := h.channels()[0].QuietHours; got != nil {
		t.Errorf("refused forms saved %+v", got)
	}

	h.admin.Post(one, form("quiet_hours.from", " "+from, "quiet_hours.to", to, "quiet_hours.time_zone", "Asia/Kathmandu", "quiet_hours.urgent_at_once", "true")...).Leads(page + "?done=saved")
	if diff := cmp.Diff(&alerts.QuietHours{From: from, To: to, TimeZone: "Asia/Kathmandu", Urgent: true}, h.channels()[0].QuietHours); diff != "" {
		t.Fatalf("saved (-want +got):\n%s", diff)
	}
	if all := h.audited("saveChannel"); len(all) != 1 || !strings.Contains(string(all[0].Changes), `"quiet_hours.to":"`+to+`"`) {
		t.Errorf("the audit log has %+v", all)
	}
	h.admin.Get(one).Want(200, "Quiet hours are active until "+until+" (Asia/Kathmandu).", `value="Asia/Kathmandu"`).CheckPage()
	h.member.Get(page).Want(200, "quiet until "+until, "from "+from+" to "+to+" (Asia/Kathmandu)").CheckPage()

	h.Client.Post("/v1/deploys", `{"deploy":{"environment":"production","revision":"abc"}}`).Want(201)
	store, ctx := h.App.Store(), t.Context()
	var waiting []deliverydb.LoggedDelivery
	for len(waiting) == 0 {
		waiting, _, _ = store.Deliveries.ListDeliveries(ctx, h.Setup.ProjectID, c.ID, sett.Page{Size: 1})
	}
	says := "waiting for the end of the quiet hours, " + until
	h.member.Get(log).Want(200, says, "quiet until "+until).CheckPage()
	h.member.Get(page).Want(200, "waiting until "+until)
	h.admin.Get(fmt.Sprint(log, "/", waiting[0].ID)).Want(200, "Waiting for", "the end of the quiet hours, "+until, "waiting until "+until, "Send now").CheckPage()

	h.admin.Post(one, form("quiet_hours.from", "", "quiet_hours.to", "")...).Leads(page + "?done=saved")
	if got := h.channels()[0].QuietHours; got != nil {
		t.Errorf("left %+v", got)
	}
	h.admin.Get(page).Want(200).Lacks("quiet until", "Quiet hours")
	h.member.Get(log).Want(200).Lacks("quiet until", "waiting for")
}
