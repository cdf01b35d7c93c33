package statusadmin_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
)

func (v *scene) project() string { return fmt.Sprint(v.s.Setup.ProjectID) }

func TestAnIncidentFromFirstToLast(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	at := v.base + "/incidents"
	v.Post(at, "kind", "incident", "name", "", "status", "investigating", "message", "Hm.", "starts_at", "2027-01-01T00:00", "component", "site:"+v.site).CheckPage().
		Want(422, "Title can&#39;t be blank.", "Started (UTC) must not be in the future", ">\nHm.</textarea>", `value="site:`+v.site+`" selected`)
	made := v.Post(at, "kind", "incident", "name", "Slow", "status", "identified", "message", "Hm.", "starts_at", "2026-11-18T08:00", "component", "site:"+v.site)
	v.wantEntry("makeIncident")
	incident, _, _ := strings.Cut(made.Header.Get("Location"), "?")
	v.Get(incident).Want(200, "Slow", "Identified", "18 Nov 2026, 08:00 UTC", "Shop front").CheckPage()

	v.Post(incident+"/updates", "status", "monitoring", "message", "").CheckPage().Want(422, "Message can&#39;t be blank.", `<option value="monitoring" selected>`)
	v.Post(incident+"/updates", "status", "resolved", "message", "<b>Done</b>").Leads(incident + "?done=update_made")
	v.wantEntry("makeUpdate")
	v.Get(incident).Want(200, "&lt;b&gt;Done&lt;/b&gt;", "Resolved").Lacks("<b>Done")
	update := incident + "/updates/2"
	v.Post(update, "message", " ").CheckPage().Want(422, "Message can&#39;t be blank.", "<details open>")
	v.Post(update, "message", "Fixed").Leads(incident + "?done=saved")
	v.wantEntry("saveUpdate")
	v.Post(update + "/delete").Leads(incident + "?done=update_gone")
	v.wantEntry("removeUpdate")
	v.Get(incident).Want(200, "Identified").Lacks("Fixed")
	v.Post(incident+"/updates/1/delete").CheckPage().Want(422, "An incident has at least one update.")

	v.Post(incident+"/edit", "name", "", "starts_at", "yesterday").CheckPage().Want(422, "Title can&#39;t be blank.", "Started (UTC) must be a time", `value="yesterday"`)
	v.Post(incident+"/edit", "name", "Slower", "starts_at", "2026-11-18T08:30", "zone", "Europe/Berlin").Leads(incident + "?done=saved")
	v.Do("GET", incident+"/edit", nil, "Cookie", "sett_zone=Asia/Kolkata").Want(200, "Started (Asia/Kolkata)", `value="2026-11-18T13:00"`)
	v.wantEntry("saveIncident")
	v.Get(incident).Want(200, "Slower", "07:30 UTC", "The whole page")
	v.Post(incident + "/delete").Leads(at + "?done=incident_gone")
	v.wantEntry("removeIncident")
	v.Get(incident).Want(404)
}

// Forms have times to the minute. Changing the name keeps the times to the second.
func TestTimesThatAreNotChangedStay(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	v.s.Clock.Push(37 * time.Second)
	incident := v.createIncident(t)
	_, text, _ := strings.Cut(incident, "/incidents/")
	id, _ := strconv.ParseInt(text, 10, 64)
	began := func() time.Time {
		i, err := v.s.App.Store().Status.IncidentByID(t.Context(), v.s.Setup.AccountID, v.page, id)
		if err != nil {
			t.Fatal(err)
		}
		return i.StartsAt
	}
	before := began()
	if before.Second() == 0 {
		t.Fatalf("it begins at %v, which has no seconds to lose", before)
	}
	v.Post(incident+"/edit", "name", "Slower", "starts_at", before.Format("2006-01-02T15:04")).Leads(incident + "?done=saved")
	if !began().Equal(before) {
		t.Errorf("it begins at %v, want %v", began(), before)
	}
}

// What is over is recorded with its times, in the zone of the form, and an end can be corrected.
func TestTimesOfWhatIsOver(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	at := v.base + "/incidents"
	over := []string{"kind", "incident", "name", "Slow", "status", "investigating", "message", "It was slow.", "zone", "Europe/Berlin", "starts_at", "2026-11-18T09:00"}
	v.Get(at+"/new").Want(200, "Started (UTC)", "Ended (UTC)", `name="resolved_at"`).CheckPage()
	v.Get(at + "/new?kind=maintenance").Want(200).Lacks("resolved_at")
	v.Post(at, append(over, "resolved_at", "2026-11-18T08:00")...).CheckPage().Want(422, "Ended (UTC) must not be before", `value="2026-11-18T08:00"`)
	made := v.Post(at, append(over, "resolved_at", "2026-11-18T09:30")...)
	incident, _, _ := strings.Cut(made.Header.Get("Location"), "?")
	v.Get(incident).Want(200, "Resolved", "18 Nov 2026, 08:00 UTC", "18 Nov 2026, 08:30 UTC").CheckPage()
	v.Post(incident+"/edit", "name", "Slow", "zone", "Europe/Berlin", "starts_at", "2026-11-18T09:00", "resolved_at", "2026-11-18T10:45").Leads(incident + "?done=saved")
	v.Get(incident+"/edit").Want(200, `name="resolved_at" type="datetime-local" value="2026-11-18T09:45"`).CheckPage()

	lasts, _, _ := strings.Cut(v.Post(at, append(over, "resolved_at", "")...).Header.Get("Location"), "?")
	v.Get(lasts + "/edit").Want(200).Lacks("resolved_at")
	v.Get(lasts).Want(200, "Investigating", "When (UTC)", `name="zone" value="UTC"`)
	v.Post(lasts+"/updates", "status", "resolved", "message", "Over", "created_at", "2100-01-01T00:00").CheckPage().Want(422, "When (UTC) must not be in the future", `value="2100-01-01T00:00"`)
	v.Post(lasts+"/updates", "status", "monitoring", "message", "Look", "created_at", "").Leads(lasts + "?done=update_made")
	v.s.Clock.Push(2 * time.Hour)
	v.Post(lasts+"/updates", "status", "resolved", "message", "Over", "zone", "Europe/Berlin", "created_at", "2026-11-18T12:15").Leads(lasts + "?done=update_made")
	v.Get(lasts).Want(200, "Resolved", "18 Nov 2026, 11:15 UTC")
}

func TestPlannedWork(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	at := v.base + "/incidents"
	v.Post(at, "kind", "maintenance", "name", "Upgrade", "status", "scheduled", "message", "Soon.", "starts_at", "2026-11-22T14:00", "ends_at", "2026-11-22T13:00").
		CheckPage().Want(422, "Ends (UTC) must be after", "Schedule maintenance")
	made := v.Post(at, "kind", "maintenance", "name", "Upgrade", "status", "scheduled", "message", "Soon.", "starts_at", "2026-11-22T14:00", "ends_at", "2026-11-22T16:00")
	incident, _, _ := strings.Cut(made.Header.Get("Location"), "?")
	v.Get(incident).Want(200, "Scheduled maintenance", "22 Nov 2026, 14:00 UTC", "22 Nov 2026, 16:00 UTC", "Scheduled")
	v.Get(incident+"/edit").Want(200, `value="2026-11-22T16:00"`)
	v.Post(at, "kind", "x", "name", "x").Want(422, "kind must be incident or maintenance")
}

func TestSubscribersAreRemoved(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	v.Get(v.base+"/subscribers").Want(200, "No subscribers yet").CheckPage()
	if err := v.s.App.Store().Status.SubscribeEmail(t.Context(), v.s.Clock.Now(), v.page, "reader@example.org"); err != nil {
		t.Fatal(err)
	}
	v.Get(v.base+"/subscribers").Want(200, "reader@example.org", "Not confirmed", `<td data-label="Components">All</td>`).CheckPage()
	v.Post(v.base + "/subscribers/1/remove").Leads(v.base + "/subscribers?done=subscriber_gone")
	v.wantEntry("removeSubscriber")
	v.Post(v.base + "/subscribers/1/remove").Want(404)
	found, _, err := v.s.App.Store().Status.ListSubscribers(t.Context(), v.s.Setup.AccountID, v.page, sett.Page{Size: 10})
	if err != nil || len(found) != 0 {
		t.Errorf("%v %v", found, err)
	}
}
