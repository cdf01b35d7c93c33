package admin

import (
	"net/http"
	"time"

	"sett/internal/base/loop"
	"sett/internal/web"
)

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

// jobs returns the background jobs of this process. Their times are those of the machine.
func (p *pages) jobs() (rows []jobRow) {
	now := time.Now()
	for _, j := range p.Jobs() {
		rows = append(rows, newJobRow(now, j))
	}
	return rows
}

// oldJobs leads to the page that lists the jobs now.
func (p *pages) oldJobs(w http.ResponseWriter, _ *http.Request) error {
	return p.Redirect(w, "/admin/system#jobs")
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
