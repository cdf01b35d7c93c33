package admin

import (
	"net/http"
	"time"

	"sett/internal/base/loop"
	"sett/internal/web"
)

// jobsPage lists the background jobs of this process.
type jobsPage struct {
	web.Shell
	Tab   string
	Clock time.Time // the machine's time, to which the times are relative
	Jobs  []jobRow
}

// jobRow is one job.
type jobRow struct {
	loop.Record
	Is     web.State
	Took   string // duration of the last run; "" before its end
	Rhythm string
	Next   string
	Began  string
	Failed string // when
}

func (p *pages) jobs(w http.ResponseWriter, r *http.Request) error {
	page := jobsPage{Shell: p.Shell(r, "Jobs"), Tab: "jobs", Clock: time.Now()}
	for _, j := range p.Jobs() {
		page.Jobs = append(page.Jobs, newJobRow(page.Clock, j))
	}
	return p.Show(w, r, http.StatusOK, "admin_jobs", page)
}

func newJobRow(now time.Time, j loop.Record) jobRow {
	row := jobRow{Record: j, Is: web.State{Mood: web.Fine, Word: "OK"}, Rhythm: "on demand", Next: "on demand", Began: "never"}
	if j.Every > 0 {
		row.Rhythm = "every " + web.Span(j.Every)
	}
	if !j.Began.IsZero() {
		row.Began, row.Took = web.Ago(now, j.Began), web.Span(j.Took)
	}
	switch {
	case j.Running:
		row.Next, row.Took = "running now", ""
	case !j.Next.IsZero():
		row.Next = web.Ago(now, j.Next)
	}
	if j.Failures > 0 {
		row.Is = web.State{Mood: web.Critical, Word: "Failing"}
	}
	if !j.FailedAt.IsZero() {
		row.Failed = web.Ago(now, j.FailedAt)
	}
	return row
}
