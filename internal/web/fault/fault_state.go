package fault

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sett/internal/base/phrase"
	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store/sheet"
	"sett/internal/web"
)

// pausedUntil says until when notifications of a fault are paused, in the time zone of now, or "".
func pausedUntil(f faults.Fault, now time.Time) string {
	switch {
	case !f.Paused(now, f.NoticesCount):
		return ""
	case now.Before(f.PausedUntil):
		return "until " + phrase.Time(f.PausedUntil.In(now.Location()), "2 Jan 2006, 15:04")
	default:
		return "until it reaches " + web.Count(f.PausedCount, "event")
	}
}

// showPause says what the pause of a fault waits for.
func (v *faultView) showPause(s *sheet.Fault) {
	v.Paused, v.PausedBy = pausedUntil(v.Fault, v.Now), s.Progress.By.Called()
	switch {
	case v.Paused == "":
	case s.Until.Users > 0:
		v.Paused = fmt.Sprintf("until %s (%s so far), or %s", s.Until, web.Number(s.Progress.Users), v.Paused)
	case s.Until.Notices > 0:
		v.Paused = fmt.Sprintf("until %s (%s now), or %s", s.Until, web.Number(s.Progress.Notices), v.Paused)
	}
}

// stateChanges are the changes of the buttons of a fault, with the keys of their messages.
var stateChanges = map[string]struct {
	change faults.FaultChange
	done   string
}{
	"resolve":       {faults.FaultChange{Resolved: sett.Some(true)}, "resolved"},
	"reopen":        {faults.FaultChange{Resolved: sett.Some(false)}, "reopened"},
	"ignore":        {faults.FaultChange{Ignored: sett.Some(true)}, "ignored"},
	"unignore":      {faults.FaultChange{Ignored: sett.Some(false)}, "unignored"},
	"on_deploy":     {faults.FaultChange{ResolveOnDeploy: sett.Some(true)}, "on_deploy"},
	"not_on_deploy": {faults.FaultChange{ResolveOnDeploy: sett.Some(false)}, "not_on_deploy"},
}

func (p *pages) changeState(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	wanted, ok := stateChanges[form.Get("do")]
	if in := form.Get("resolved_in"); in != "" && !form.Has("do") {
		wanted.change, wanted.done, ok = faults.FaultChange{ResolvedIn: sett.Some(in)}, "resolved_in", true
	}
	if !ok {
		return p.again(w, r, sett.Refuse("do", "must be one of resolve, reopen, ignore, unignore, on_deploy and not_on_deploy"), nil)
	}
	now := p.Now()
	if err := p.Faults.UpdateFault(r.Context(), now, web.Who(r).User.ID, web.Project(r), web.PathID(r, "fault_id"), wanted.change); err != nil {
		return p.again(w, r, err, nil)
	}
	if form.Get("then") == "next" && wanted.done == "resolved" {
		return p.resolvedNext(w, r, undoMark(now))
	}
	return p.doneAt(w, address(r), wanted.done, now, true)
}

// update changes the fault and redirects to its page.
func (p *pages) update(w http.ResponseWriter, r *http.Request, change faults.FaultChange, done string) error {
	err := p.Faults.UpdateFault(r.Context(), p.Now(), web.Who(r).User.ID, web.Project(r), web.PathID(r, "fault_id"), change)
	return p.changed(w, r, err, done)
}

// changed responds to a change of a fault.
func (p *pages) changed(w http.ResponseWriter, r *http.Request, err error, done string) error {
	if err != nil {
		return p.again(w, r, err, nil)
	}
	return p.Done(w, address(r), done)
}

// again shows the page of the fault with the problem of a form; mark, unless it is nil, adds it to the field.
func (p *pages) again(w http.ResponseWriter, r *http.Request, wrong error, mark func(*faultView, string)) error {
	if sett.CodeOf(wrong) != sett.Invalid && sett.CodeOf(wrong) != sett.Conflict {
		return wrong
	}
	view, err := p.viewFault(r)
	if err != nil {
		return err
	}
	view.Here = address(r)
	view.Address = view.Here
	if mark != nil {
		mark(view, wrong.Error())
	}
	return p.Again(w, r, wrong, "fault", view)
}

func (p *pages) assign(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if form.Get("assignee_id") == "" {
		return p.update(w, r, faults.FaultChange{AssigneeID: sett.Optional[int64]{Sent: true, Null: true}}, "unassigned")
	}
	id, err := strconv.ParseInt(form.Get("assignee_id"), 10, 64)
	if err != nil {
		return p.again(w, r, sett.Refuse("assignee_id", "must be the id of a user"), nil)
	}
	return p.update(w, r, faults.FaultChange{AssigneeID: sett.Some(id)}, "assigned")
}

// pauseOf parses the length of a pause: hour, day or week, or a number of events.
func pauseOf(text string) faults.Pause {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return faults.Pause{Count: sett.Some(n)}
	}
	return faults.Pause{Time: sett.Some(text)}
}

// pauses are the options for the length of a pause.
func pauses() []web.Choice {
	return web.Choices("hour", "1 hour", "day", "1 day", "week", "1 week", "10", "10 events", "100", "100 events", "1000", "1,000 events")
}

// Pauses are the options of the form.
func (v *faultView) Pauses() []web.Choice { return pauses() }

// pauseUntil parses a pause until so many more users or events, such as 100 events in an hour.
func pauseUntil(form url.Values) (p faults.Pause, err error) {
	n, err := strconv.ParseInt(strings.TrimSpace(form.Get("number")), 10, 64)
	if err != nil {
		return p, sett.Refuse("number", "must be a whole number")
	}
	switch of := form.Get("of"); of {
	case "users":
		p.Users = sett.Some(n)
	case "hour", "day":
		p.Notices, p.Per = sett.Some(n), sett.Some(of)
	default:
		return p, sett.Refuse("of", "must be one of users, hour and day")
	}
	_, err = triage.UntilOf(p)
	return p, err
}

// Untils are the options for what a pause waits for.
func (v *faultView) Untils() []web.Choice {
	return web.Choices("users", "more affected users", "hour", "events in an hour", "day", "events in a day")
}

func (p *pages) pause(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	pause := pauseOf(form.Get("for"))
	if form.Has("number") && !form.Has("for") {
		if pause, err = pauseUntil(form); err != nil {
			return p.changed(w, r, err, "")
		}
	}
	err = p.Faults.PauseFault(r.Context(), p.Now(), web.Who(r).User.ID, web.Project(r), web.PathID(r, "fault_id"), pause)
	if sett.CodeOf(err) == sett.Invalid && !pause.Conditional() {
		err = sett.Refuse("for", "must be one of hour, day, week, 10, 100 and 1000")
	}
	return p.changed(w, r, err, "paused")
}

func (p *pages) unpause(w http.ResponseWriter, r *http.Request) error {
	err := p.Faults.UnpauseFault(r.Context(), p.Now(), web.Who(r).User.ID, web.Project(r), web.PathID(r, "fault_id"))
	return p.changed(w, r, err, "unpaused")
}

func (p *pages) remove(w http.ResponseWriter, r *http.Request) error {
	if err := p.Faults.DeleteFault(r.Context(), web.Project(r), web.PathID(r, "fault_id")); err != nil {
		return err
	}
	return p.Done(w, listPathIn(web.Project(r)), "fault_deleted")
}
