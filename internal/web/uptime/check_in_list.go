package uptime

import (
	"fmt"
	"net/http"

	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/maintenance"
	"sett/internal/sett/run"
	"sett/internal/sett/stats"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// checkInList is the page of a project's check-ins.
type checkInList struct {
	web.Shell
	Project  int64
	CheckIns []checkInRow
	Pager    web.Pager

	Maintenance []maintenance.Window // that is active
	Refused     []stats.RefusedCheckIn
}

// checkInRow is one check-in.
type checkInRow struct {
	checks.CheckIn
	Called   string
	State    web.State
	Schedule string
	Strip    draw.Strip
	Took     string
	Next     string
	Looker   string // at its problem; "" for none
}

func (p *pages) checkInsPage(w http.ResponseWriter, r *http.Request) error {
	lines, marks, err := p.Uptime.CheckInLines(r.Context(), web.Project(r), web.PageOf(r, listed))
	if err != nil {
		return err
	}
	page := checkInList{Shell: p.Shell(r, "Check-ins").In("check_ins"), Project: web.Project(r), Pager: p.NewPager(r, marks)}
	page.Heading, page.Secret = "-", true // anyone with an ID can report
	if page.Maintenance, err = p.activeWindows(r, page.Now, ofAny); err != nil {
		return err
	}
	if page.Refused, err = p.Uptime.RefusedCheckIns(r.Context(), page.Now, web.Project(r)); err != nil {
		return err
	}
	for _, line := range lines {
		page.CheckIns = append(page.CheckIns, checkInRow{
			CheckIn: line.CheckIn, Called: called(line.CheckIn), State: web.CheckInState(line.CheckIn, page.Now), Schedule: schedule(line.CheckInSettings),
			Strip: runStrip(line.Runs, 5), Took: took(line), Next: next(line.CheckIn, page.Now),
		})
	}
	if err := p.findLookers(r, page.CheckIns); err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "check_ins", page)
}

// findLookers finds who looks at the check-ins with problems.
func (p *pages) findLookers(r *http.Request, rows []checkInRow) error {
	var failing []alerts.AlertSubject
	for _, row := range rows {
		if row.State.Mood == web.Critical {
			failing = append(failing, alerts.CheckInSubject(row.ID))
		}
	}
	who, err := p.Deliveries.WhoLooks(r.Context(), web.Project(r), failing)
	for i := range rows {
		rows[i].Looker = who[alerts.CheckInSubject(rows[i].ID)]
	}
	return err
}

// took returns the duration of the last run that reported one.
func took(line checks.CheckInLine) string {
	d, ok := line.LastDuration()
	if !ok {
		return "–"
	}
	return spell(d)
}

// runStrip returns the strip of runs, the newest on the right.
func runStrip(runs []run.Result, width int) draw.Strip {
	var missed, failed int
	cells := make([]string, 0, checks.RecentRuns)
	for range checks.RecentRuns - len(runs) {
		cells = append(cells, "none")
	}
	for _, run := range runs {
		switch {
		case run.Missed:
			cells, missed = append(cells, "crit"), missed+1
		case run.Failed:
			cells, failed = append(cells, "warn"), failed+1
		default:
			cells = append(cells, "ok")
		}
	}
	return draw.NewStrip(cells, width, fmt.Sprintf("the last %d runs: %d missed, %d failed", len(runs), missed, failed))
}
