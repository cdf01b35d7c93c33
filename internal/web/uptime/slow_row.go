package uptime

import (
	"net/http"
	"time"

	"sett/internal/sett/checks"
	"sett/internal/web"
)

// shownSlow is how many slow times a page lists.
const shownSlow = 20

// slowRow is a time in which a site was slow.
type slowRow struct {
	checks.SlowSpell
	Lasted   time.Duration
	Response string // of the check that confirmed it
	Over     string // the limit
	End      string // what ended it
}

func (p *pages) slowRows(r *http.Request, now time.Time) (rows []slowRow, err error) {
	found, err := p.Uptime.SlowSpells(r.Context(), web.Project(r), siteID(r), shownSlow)
	for _, s := range found {
		row := slowRow{SlowSpell: s, Lasted: now.Sub(s.SlowAt), Response: millis(s.Took), Over: millis(s.Limit), End: endOfSlow[s.Ending]}
		if !s.FastAt.IsZero() {
			row.Lasted = s.FastAt.Sub(s.SlowAt)
		}
		rows = append(rows, row)
	}
	return rows, err
}

var endOfSlow = map[checks.SlowEnding]string{
	checks.SlowLasts: "Still slow", checks.SlowEndedFast: "Fast again", checks.SlowEndedDown: "Went down", checks.SlowEndedPaused: "Checks were paused",
	checks.SlowEndedUnchecked: "No checks", checks.SlowEndedOff: "Alert turned off",
}
