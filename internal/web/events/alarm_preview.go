package events

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alarm"
	"sett/internal/sett/insight"
	"sett/internal/store/alarmdb"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// previewName is the parameter that asks for a preview of what the form has.
const previewName = "preview"

// previewTime is how long a preview may read events: as long as one evaluation.
const previewTime = 5 * time.Second

// alarmTrial is what an alarm would have done in the last day.
type alarmTrial struct {
	Says    string
	Failed  string // why the query fails
	Chart   draw.Chart
	Unknown string    // what the chart lacks
	Since   time.Time // how far back there was time; zero: the whole day
}

// previewAlarm shows the form of an alarm, or of a new one, with what its condition would have done. It stores nothing.
func (p *pages) previewAlarm(w http.ResponseWriter, r *http.Request, a *alarm.Alarm) error {
	form := r.URL.Query()
	change, err := alarmChangeIn(web.Project(r), form)
	var s alarm.Settings
	if err == nil {
		change.Name.Value = cmp.Or(change.Name.Value, "Preview") // it may be named later
		s, err = change.Apply(web.Project(r), s)
	}
	if err != nil {
		return p.alarmAgain(w, r, err, form, a)
	}
	page := p.newAlarmForm(r, form, a)
	if page.Trial, err = p.tryAlarm(r, page.Now, s); err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "alarm_form", page)
}

// tryAlarm evaluates an alarm for the periods of the last day, the newest first, as far as there is time.
func (p *pages) tryAlarm(r *http.Request, now time.Time, s alarm.Settings) (*alarmTrial, error) {
	trial, windows := &alarmTrial{}, s.Past(now)
	oldest := windows[len(windows)-1]
	_, plan, err := s.Ask(oldest)
	if err != nil {
		return nil, err
	}
	gaps, err := p.Alarms.Gaps(r.Context(), web.Project(r), oldest.From, plan.Reads(insight.Sent))
	if err != nil {
		return nil, err
	}
	var found []alarm.Evaluation
	for until := time.Now().Add(previewTime); len(found) < len(windows); {
		e, err := p.tryWindow(r, until, s, windows[len(found)], gaps)
		if err != nil {
			return nil, err
		}
		if time.Now().After(until) && len(found) > 0 {
			trial.Since = found[len(found)-1].From
			break
		}
		if found = append(found, e); e.Error != "" {
			trial.Failed = e.Error
			break
		}
	}
	slices.Reverse(found)
	var results []alarmdb.Result
	for _, e := range found {
		result := alarmdb.Result{At: e.To.Add(s.Lag.Duration()), Count: e.Count, Note: e.Skipped + e.Error}
		if result.Note != "" {
			result.Count = -1
		}
		results = append(results, result)
	}
	trial.Chart, trial.Unknown = drawResults(now, s, results)
	trial.Says = trial.says(s.Alerts(found))
	return trial, nil
}

// says says how often people would have been notified.
func (t *alarmTrial) says(alerts int64) string {
	when := " in the last 24 hours."
	if !t.Since.IsZero() {
		when = " in the time that was tried."
	}
	switch {
	case t.Failed != "":
		return "The query fails, so the alarm would not alert."
	case alerts == 0:
		return "It would not have alerted" + when
	case alerts == 1:
		return "It would have alerted once" + when
	}
	return "It would have alerted " + web.Count(alerts, "time") + when
}

// tryWindow evaluates an alarm for one period.
func (p *pages) tryWindow(r *http.Request, until time.Time, s alarm.Settings, w alarm.Window, gaps []alarm.Gap) (alarm.Evaluation, error) {
	e := alarm.Evaluation{Window: w, At: w.To}
	if e.Skipped = w.Unknown(gaps); e.Skipped != "" {
		return e, nil
	}
	statement, plan, err := s.Ask(w)
	if err != nil {
		return e, err
	}
	result, err := p.Insights.Query(r.Context(), p.Now(), until, web.Project(r), plan)
	if sett.CodeOf(err) == sett.Invalid {
		e.Error = err.Error()
		return e, nil
	}
	if err != nil {
		return e, err
	}
	e.Count, e.Error = statement.Answer(result, time.UTC).Found, alarm.Unanswered(result, previewTime)
	return e, nil
}
