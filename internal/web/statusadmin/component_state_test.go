package statusadmin_test

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/sett/status"
)

// seen is what visitors see of the first component.
func (v *scene) seen() status.ComponentView {
	v.T.Helper()
	view, err := v.s.App.Store().Status.StatusView(v.T.Context(), v.s.Clock.Now(), v.page)
	if err != nil || len(view.Components) == 0 {
		v.T.Fatalf("%+v %v", view, err)
	}
	return view.Components[0]
}

func TestTheStateOfAComponentIsSetByHand(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	at := fmt.Sprint(v.base, "/components/", v.stored().Components[0].ID)
	v.Get(v.base).Want(200, "Set state: Shop front").Lacks("set by hand")
	v.Get(at).Want(200, "Checks say: No data yet").CheckPage()
	v.Post(at, "state", "down", "note", "A disk failed.", "until", "2001-01-01T00:00").CheckPage().Want(422, "Until (UTC) must be in the future", "A disk failed.")
	v.Post(at, "state", "down", "note", "A disk failed.").Leads(v.base + "?done=state_set")
	v.wantEntry("setComponentState")
	v.Get(v.base).Want(200, "set by hand", "A disk failed.", "Major outage")
	public := "/status/" + v.stored().Slug
	v.Get(public).Want(200, `class="tag crit">Major outage`, "A disk failed.")
	v.Get(public+"/status.json").Want(200, `"status": "major_outage"`, `"indicator": "critical"`)

	v.s.Clock.Push(2 * time.Hour)
	if today := v.seen().Days; today[len(today)-1].Down < time.Hour {
		t.Errorf("a major outage by hand does not count: %+v", today[len(today)-1])
	}
	v.Post(at, "state", "partial").Leads(v.base + "?done=state_set")
	down := v.seen().Days
	v.s.Clock.Push(2 * time.Hour)
	if now := v.seen(); now.State != status.ComponentPartial || now.Days[len(now.Days)-1].Down != down[len(down)-1].Down {
		t.Errorf("a partial outage counts as downtime: %+v", now.Days[len(now.Days)-1])
	}
	v.Post(at, "state", "").Leads(v.base + "?done=state_set")
	if now := v.seen(); now.State != status.ComponentUnknown || now.Manual.State != "" {
		t.Errorf("it is %s after it was returned to its checks", now.State)
	}
	v.Post(v.base+"/components/999", "state", "down").Want(404)
}

func TestAStateByHandEndsAtItsTime(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	at := fmt.Sprint(v.base, "/components/", v.stored().Components[0].ID)
	until := v.s.Clock.Now().UTC().Add(time.Hour).Truncate(time.Minute)
	v.Post(at, "state", "degraded", "until", until.Format("2006-01-02T15:04")).Leads(v.base + "?done=state_set")
	if got := v.seen(); got.State != status.ComponentDegraded || !got.Manual.Until.Equal(until) {
		t.Errorf("%s until %v", got.State, got.Manual.Until)
	}
	v.s.Clock.Push(time.Hour)
	if got := v.seen().State; got != status.ComponentUnknown {
		t.Errorf("it is still %s", got)
	}
}

func TestIncidentsSetTheStatesOfTheirComponents(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	public := "/status/" + v.stored().Slug
	made := v.Post(v.base+"/incidents", "kind", "incident", "name", "Slow", "status", "identified", "message", "Hm.", "impact", "critical", "component", "site:"+v.site+" partial")
	if got := v.seen().State; got != status.ComponentPartial {
		t.Errorf("it is %s", got)
	}
	v.Get(public).Want(200, "Impact: critical", "Shop front (Partial outage)", `class="tag warn">Partial outage`)
	v.Get(public+"/status.json").Want(200, `"impact": "critical"`, `"status": "partial_outage"`)
	v.Get(public+"/feed.atom").Want(200, "Impact: critical")
	id := made.Header.Get("Location")[len(v.base+"/incidents/"):]
	incident := v.base + "/incidents/" + id[:len(id)-len("?done=incident_made")]
	v.Get(incident).Want(200, "<dt>Impact</dt><dd>critical</dd>", "Shop front (Partial outage)")
	v.Get(incident+"/edit").Want(200, `value="site:`+v.site+` partial" selected`).CheckPage()
	v.Post(incident+"/edit", "name", "Slow", "impact", "", "component", "site:"+v.site+" down").Leads(incident + "?done=saved")
	v.s.Clock.Push(time.Hour)
	if got := v.seen(); got.State != status.ComponentDown || got.Days[len(got.Days)-1].Down == 0 {
		t.Errorf("a major outage by an incident: %s, %+v", got.State, got.Days[len(got.Days)-1])
	}
	v.Post(incident+"/updates", "status", "resolved", "message", "Done.")
	if got := v.seen().State; got != status.ComponentUnknown {
		t.Errorf("after the incident it is %s", got)
	}
}
