package uptime

import (
	"fmt"
	"net/http"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/web"
)

func (p *pages) makeCheckIn(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	change := checkInChange(form, checks.ScheduleType(form.Get("schedule_type")))
	c, err := p.Uptime.CreateCheckIn(r.Context(), p.Now(), web.Project(r), change)
	if err != nil {
		page := p.newCheckInForm(r, form, nil)
		page.explain(err)
		return p.Again(w, r, err, "check_in_form", page)
	}
	return p.Done(w, fmt.Sprintf("/projects/%d/check_ins/%s", c.ProjectID, c.ID), "check_in_made")
}

func (p *pages) changeCheckIn(w http.ResponseWriter, r *http.Request) error {
	c, err := p.checkIn(r)
	if err != nil {
		return err
	}
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := p.Uptime.UpdateCheckIn(r.Context(), p.Now(), c.ProjectID, c.ID, checkInChange(form, c.ScheduleType)); err != nil {
		page := p.newCheckInForm(r, form, &c)
		page.explain(err)
		return p.Again(w, r, err, "check_in_form", page)
	}
	return p.toCheckIn(w, c, nil, "saved")
}

// toCheckIn redirects to the page of a check-in, unless a change of it has failed.
func (p *pages) toCheckIn(w http.ResponseWriter, c checks.CheckIn, err error, done string) error {
	if err != nil {
		return err
	}
	return p.Done(w, fmt.Sprintf("/projects/%d/check_ins/%s", c.ProjectID, c.ID), done)
}

func (p *pages) pauseCheckIn(w http.ResponseWriter, r *http.Request) error {
	c, err := p.checkIn(r)
	if err != nil {
		return err
	}
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	until, err := checks.CheckInPause{Time: sett.Some(form.Get("time"))}.Until(p.Now())
	if err != nil {
		return sett.Errorf(sett.Invalid, "Choose an hour, a day or a week for the pause.")
	}
	return p.toCheckIn(w, c, p.Uptime.PauseCheckIn(r.Context(), p.Now(), c.ProjectID, c.ID, until), "check_in_paused")
}

func (p *pages) unpauseCheckIn(w http.ResponseWriter, r *http.Request) error {
	c, err := p.checkIn(r)
	if err != nil {
		return err
	}
	if _, err := web.ReadForm(w, r); err != nil {
		return err
	}
	return p.toCheckIn(w, c, p.Uptime.UnpauseCheckIn(r.Context(), p.Now(), c.ProjectID, c.ID), "check_in_resumed")
}

func (p *pages) removeCheckIn(w http.ResponseWriter, r *http.Request) error {
	if _, err := web.ReadForm(w, r); err != nil {
		return err
	}
	if err := p.Uptime.DeleteCheckIn(r.Context(), web.Project(r), r.PathValue("check_in_id")); err != nil {
		return err
	}
	return p.Done(w, fmt.Sprintf("/projects/%d/check_ins", web.Project(r)), "check_in_deleted")
}
