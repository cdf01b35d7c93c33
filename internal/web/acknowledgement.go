package web

import (
	"net/http"
	"strconv"

	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
)

// Ongoing is what the part "ongoing" of a page shows: the problem of the thing that the page is about, and who looks at it.
type Ongoing struct {
	alerts.Problem
	Shell
	Project int64
	Thing   string // what people call its kind
	Going   string // that it goes on, in a sentence
}

// problemThings are what the kinds of things with problems are called, and what is said of a problem that goes on.
var problemThings = map[string][2]string{
	alerts.SiteKind:    {"site", "The site is still down."},
	alerts.CheckInKind: {"check-in", "The check-in still has a problem."},
	alerts.AlarmKind:   {"alarm", "The alarm is still raised."},
	alerts.FaultKind:   {"error", "The error is still unresolved."},
}

// OngoingOf returns the problem of a thing for its page, or nil if there is none, or none that this user may acknowledge and no other did.
func (p *Pages) OngoingOf(r *http.Request, shell Shell, subject alerts.AlertSubject) (*Ongoing, error) {
	found, err := p.Deliveries.ProblemOf(r.Context(), Project(r), subject)
	if err != nil || found == nil || found.Acknowledgement == nil && !shell.May(accounts.WorkFaults) {
		return nil, err
	}
	return NewOngoing(*found, shell, Project(r)), nil
}

// NewOngoing returns how a page shows a problem.
func NewOngoing(p alerts.Problem, shell Shell, project int64) *Ongoing {
	thing := problemThings[p.Subject.Kind()]
	return &Ongoing{p, shell, project, thing[0], thing[1]}
}

// PathOf returns the path of the page of a subject.
func PathOf(project int64, subject alerts.AlertSubject) string {
	path := "/projects/" + strconv.FormatInt(project, 10)
	switch subject.Kind() {
	case alerts.SiteKind:
		return path + "/sites/" + subject.ID()
	case alerts.CheckInKind:
		return path + "/check_ins/" + subject.ID()
	case alerts.AlarmKind:
		return path + "/insights/alarms/" + subject.ID()
	case alerts.FaultKind:
		return path + "/faults/" + subject.ID()
	}
	return path
}
