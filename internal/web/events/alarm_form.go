package events

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/alarm"
	"sett/internal/sett/insight"
	"sett/internal/web"
)

// alarmForm is the form that creates or edits an alarm.
type alarmForm struct {
	web.Shell
	Action, Cancel, Button string
	Preview                string // path of the page that tries what the form has
	Fields                 web.Fields
	Trial                  *alarmTrial // nil: it was not tried
}

// allStreams is the choice of all streams.
const allStreams = "all"

// newAlarmForm returns the form with values; of a new alarm, or of one.
func (p *pages) newAlarmForm(r *http.Request, form url.Values, a *alarm.Alarm) *alarmForm {
	list := alarmsIn(web.Project(r))
	f := &alarmForm{Shell: p.Shell(r, "New alarm").In("insights"), Action: list, Cancel: list, Button: "Create alarm", Preview: list + "/new"}
	if a != nil {
		f.Shell = p.Shell(r, "Edit "+a.Name).In("insights")
		f.Action, f.Cancel, f.Button, f.Preview = alarmPath(*a), alarmPath(*a), "Save", alarmPath(*a)+"/edit"
	}
	text := func(name, label, kind, hint string, optional bool) web.Field {
		return web.Field{Name: name, Label: label, Kind: kind, Value: form.Get(name), Hint: hint, Optional: optional}
	}
	query := text("query", "Query", "area", "Its rows are counted: events, or groups of a query with stats. Leave out the time.", false)
	query.Code, query.Lines = true, max(3, lines(query.Value))
	streams := text("streams", "Events", "", "", false)
	streams.Choices = web.Choices(allStreams, "All", string(insight.Sent), "Sent by clients", string(insight.Recorded), "Recorded by sett: errors, deploys, checks and check-ins")
	operator := text("operator", "Raise it if the number of rows is", "", "", false)
	for _, o := range alarm.Operators() {
		operator.Choices = append(operator.Choices, web.Choice{Value: string(o), Label: o.Words()})
	}
	f.Fields = web.Fields{
		text("name", "Name", "text", "", false), query, streams, operator,
		text("value", "Number of rows", "number", "", false),
		text("evaluation_period", "Period", "text", "How often the rows are counted, and of how much time. For example 5m, 1h or 1d; at least 1m.", false),
		text("lookback_lag", "Lag", "text", "How long to wait for events that arrive late, for example 1m.", true),
		text("description", "Description", "area", "Shown in notifications: what it means, and what to do.", true),
	}
	return f
}

func valuesOfAlarm(s alarm.Settings) url.Values {
	streams := allStreams
	if len(s.Streams) == 1 {
		streams = string(s.Streams[0])
	}
	return url.Values{
		"name": {s.Name}, "query": {s.Query}, "streams": {streams}, "operator": {string(s.Operator)}, "value": {strconv.FormatInt(s.Value, 10)},
		"evaluation_period": {string(s.Period)}, "lookback_lag": {string(s.Lag)}, "description": {s.Description},
	}
}

// alarmChangeIn returns the change of a form.
func alarmChangeIn(project int64, form url.Values) (alarm.AlarmChange, error) {
	plain := func(name string) string { return strings.ReplaceAll(form.Get(name), "\r\n", "\n") }
	c := alarm.AlarmChange{
		Name: sett.Some(form.Get("name")), Description: sett.Some(plain("description")), Query: sett.Some(plain("query")),
		Period: sett.Some(alarm.Span(strings.TrimSpace(form.Get("evaluation_period")))), Lag: sett.Some(alarm.Span(strings.TrimSpace(form.Get("lookback_lag")))),
		StreamIDs: sett.Some[[]string](nil),
	}
	if s := insight.Stream(form.Get("streams")); s != allStreams && s != "" {
		c.StreamIDs = sett.Some([]string{s.ID(project)})
	}
	value, err := strconv.ParseInt(cmp.Or(strings.TrimSpace(form.Get("value")), "0"), 10, 64)
	if err != nil || value < 0 {
		return c, sett.Refuse("value", "must be a whole number, 0 or more")
	}
	c.Trigger = sett.Some(alarm.Settings{Operator: alarm.Operator(form.Get("operator")), Value: value}.Trigger())
	return c, nil
}

// newAlarmPage shows the form, with the search or the query of the page that leads to it.
func (p *pages) newAlarmPage(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Query().Has(previewName) {
		return p.previewAlarm(w, r, nil)
	}
	fresh := alarm.Settings{Query: r.URL.Query().Get("q"), Operator: "gt", Period: "5m", Lag: "0s"}
	if fresh.Query == "" {
		fresh.Query = "filter status::int >= 500"
	} else if !insight.IsQuery(fresh.Query) {
		fresh.Query += " | fields @ts, @preview"
		fresh.Streams = []insight.Stream{insight.Sent} // as the search did
	}
	if s := streamIn(r.URL.Query()); s != "" {
		fresh.Streams = []insight.Stream{s}
	}
	return p.Show(w, r, http.StatusOK, "alarm_form", p.newAlarmForm(r, valuesOfAlarm(fresh), nil))
}

func (p *pages) alarm(r *http.Request) (alarm.Alarm, error) {
	return p.Alarms.ByID(r.Context(), web.Project(r), r.PathValue("alarm_id"))
}

func (p *pages) editAlarmPage(w http.ResponseWriter, r *http.Request) error {
	a, err := p.alarm(r)
	if err != nil {
		return err
	}
	if r.URL.Query().Has(previewName) {
		return p.previewAlarm(w, r, &a)
	}
	return p.Show(w, r, http.StatusOK, "alarm_form", p.newAlarmForm(r, valuesOfAlarm(a.Settings), &a))
}

func (p *pages) makeAlarm(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	change, err := alarmChangeIn(web.Project(r), form)
	if err == nil {
		var made alarm.Alarm
		if made, err = p.Alarms.Create(r.Context(), p.Now(), web.Project(r), change); err == nil {
			return p.Done(w, alarmPath(made), "alarm_made")
		}
	}
	return p.alarmAgain(w, r, err, form, nil)
}

func (p *pages) changeAlarm(w http.ResponseWriter, r *http.Request) error {
	a, err := p.alarm(r)
	if err != nil {
		return err
	}
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	change, err := alarmChangeIn(a.ProjectID, form)
	if err == nil {
		if err = p.Alarms.Update(r.Context(), p.Now(), a.ProjectID, a.ID, change); err == nil {
			return p.Done(w, alarmPath(a), "alarm_changed")
		}
	}
	return p.alarmAgain(w, r, err, form, &a)
}

// alarmAgain shows a form that was refused, with what is wrong beside its fields.
func (p *pages) alarmAgain(w http.ResponseWriter, r *http.Request, err error, form url.Values, a *alarm.Alarm) error {
	page := p.newAlarmForm(r, form, a)
	page.Fields.Explain(sett.ProblemsOf(err))
	return p.Again(w, r, err, "alarm_form", page)
}

func (p *pages) removeAlarm(w http.ResponseWriter, r *http.Request) error {
	if err := p.Alarms.Delete(r.Context(), web.Project(r), r.PathValue("alarm_id")); err != nil {
		return err
	}
	return p.Done(w, alarmsIn(web.Project(r)), "alarm_deleted")
}
