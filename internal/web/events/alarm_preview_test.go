package events_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"sett/internal/setttest"
)

// A condition is tried on the last day before it is saved.
func TestAlarmPreview(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		b := signedIn(t, s)
		for range 3 { // of which two are beyond the limit
			for range 2 {
				report(s, `{"event_type":"request","path":"/orders","status":500}`)
			}
			s.Clock.Push(time.Hour)
		}
		s.Clock.Push(time.Minute)
		form := url.Values{
			"name": {""}, "query": {"filter status::int >= 500"}, "streams": {"default"}, "operator": {"gt"}, "value": {"1"},
			"evaluation_period": {"30m"}, "lookback_lag": {"1m"}, "description": {""}, "preview": {"1"},
		}
		try := func() string { return in(s, "/alarms/new?"+form.Encode()) }
		page := b.Get(try()).Want(200, "It would have alerted 3 times in the last 24 hours.", `<svg class="chart"`, "filter status::int &gt;= 500", `value="30m"`)
		page.CheckPage()
		form.Set("value", "2")
		b.Get(try()).Want(200, "It would not have alerted in the last 24 hours.").CheckPage()
		form.Set("operator", "eq")
		form.Set("value", "0")
		form.Set("evaluation_period", "2d")
		b.Get(try()).Want(200, "It would have alerted once in the last 24 hours.").CheckPage()
		form.Set("evaluation_period", "30m")
		form.Set("query", "filter status >")
		b.Get(try()).Want(422, "Query ").CheckPage()
		form.Set("query", "filter status::int >= 500")
		form.Set("evaluation_period", "5 minutes")
		b.Get(try()).Want(422, "Period format is invalid").CheckPage()
		if made, err := s.App.Store().Alarms.List(t.Context(), s.Setup.ProjectID); err != nil || len(made) > 0 {
			t.Fatal("a preview has saved", made, err)
		}

		form.Set("evaluation_period", "30m")
		form.Set("operator", "gt")
		form.Set("name", "Failures")
		b.Do("POST", in(s, "/alarms"), form).Want(303)
		made, err := s.App.Store().Alarms.List(t.Context(), s.Setup.ProjectID)
		if err != nil || len(made) != 1 {
			t.Fatal(made, err)
		}
		b.Get(in(s, fmt.Sprint("/alarms/", made[0].ID, "/edit?", form.Encode()))).Want(200, "Edit Failures", "It would have alerted 3 times").CheckPage()
	})
}
