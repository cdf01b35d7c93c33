package uptime

import (
	"net/http"
	"strconv"
	"time"

	"sett/internal/sett"
	"sett/internal/store/uptime"
	"sett/internal/web"
)

// Rows that an export reads at a time, and contains at most.
const (
	exportedAtOnce = 500
	mostExported   = 20_000
)

// exportOutages answers with all outages of a site, the newest first.
func (p *pages) exportOutages(w http.ResponseWriter, r *http.Request) error {
	rows := [][]string{{"down_at", "up_at", "seconds", "reason", "status", "location"}}
	page := sett.Page{Size: exportedAtOnce}
	for {
		found, marks, err := p.Uptime.ListOutages(r.Context(), web.Project(r), siteID(r), uptime.SpanFilter{Page: page})
		if err != nil {
			return err
		}
		for _, o := range found {
			rows = append(rows, outageCells(o))
		}
		if page.Mark = marks.Next; page.Mark == "" || len(rows) > mostExported {
			break
		}
	}
	return web.WriteCSV(w, "outages.csv", rows)
}

func outageCells(o sett.Outage) []string {
	up, seconds, status := "", "", ""
	if !o.UpAt.IsZero() {
		up, seconds = o.UpAt.Format(time.RFC3339), strconv.FormatInt(int64(o.UpAt.Sub(o.DownAt)/time.Second), 10)
	}
	if o.Status > 0 {
		status = strconv.Itoa(o.Status)
	}
	return []string{o.DownAt.Format(time.RFC3339), up, seconds, o.Reason, status, string(o.Location)}
}
