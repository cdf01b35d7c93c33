package events

import (
	"net/http"

	"sett/internal/sett/alarm"
	"sett/internal/sett/dashboard"
)

// alarmsWidget lists alarms, or those in a state.
func (p *pages) alarmsWidget(r *http.Request, page *dashboardPage, v *widgetView, w dashboard.Widget) error {
	found, err := p.Alarms.List(r.Context(), page.project)
	wanted, filtered := map[string]alarm.State{"triggered": alarm.Raised, "ok": alarm.OK}[w.Text("filter_state")]
	for _, a := range found {
		if filtered && a.State != wanted || len(v.Lines) == w.Limit() {
			continue
		}
		is, says := alarmState(a), conditionOf(a.Settings)
		l := line{Name: a.Name, Path: alarmPath(a), Text: says, State: &is}
		if !a.StateSince.IsZero() {
			when := page.Moment(a.StateSince)
			l.When = &when
		}
		v.Lines = append(v.Lines, l)
	}
	return err
}
