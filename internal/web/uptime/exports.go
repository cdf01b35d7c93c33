package uptime

import (
	"net/http"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/stats"
	"sett/internal/store/uptimedb"
	"sett/internal/web"
)

// exportSites returns the sites of a project, without secrets in their URLs.
func (p *pages) exportSites(r *http.Request) (web.Export, error) {
	columns := []string{"id", "name", "url", "state", "active", "frequency_minutes", "uptime_30_days", "median_ms", "last_checked_at", "last_outage_at", "last_outage_until", "last_outage_reason"}
	return web.Export{Name: "sites", Columns: columns, Size: listed, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		lines, marks, err := p.Uptime.SiteLines(r.Context(), p.Now(), web.Project(r), page)
		for _, line := range lines {
			rows = append(rows, []any{
				line.ID.String(), line.Name, checks.ShownAddress(line.URL), string(line.State), line.Active, line.Frequency, percent(line.Month.Percent()),
				stats.Took(0.5, line.Recent).Milliseconds(), line.LastCheckedAt, line.LastOutage.DownAt, line.LastOutage.UpAt, line.LastOutage.Reason,
			})
		}
		return rows, marks.Next, err
	}}, nil
}

// percent returns a share, or nil if nothing was measured.
func percent(share float64, measured bool) any {
	if !measured {
		return nil
	}
	return share
}

// exportOutages returns all outages of a site, the newest first.
func (p *pages) exportOutages(r *http.Request) (web.Export, error) {
	columns := []string{"down_at", "up_at", "seconds", "reason", "status", "location"}
	return web.Export{Name: "outages", Columns: columns, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		found, marks, err := p.Uptime.ListOutages(r.Context(), web.Project(r), siteID(r), uptimedb.SpanFilter{Page: page})
		for _, o := range found {
			rows = append(rows, outageCells(o, p.Locations))
		}
		return rows, marks.Next, err
	}}, nil
}

func outageCells(o checks.Outage, labels checks.LocationLabels) []any {
	var seconds, status any
	if !o.UpAt.IsZero() {
		seconds = int64(o.UpAt.Sub(o.DownAt) / time.Second)
	}
	if o.Status > 0 {
		status = o.Status
	}
	return []any{o.DownAt, o.UpAt, seconds, o.Reason, status, labels.Of(o.Location)}
}

// exportCheckIns returns the check-ins of a project, without their IDs: anyone who has one can report.
func (p *pages) exportCheckIns(r *http.Request) (web.Export, error) {
	columns := []string{"name", "slug", "state", "schedule", "reported_at", "expected_at"}
	return web.Export{Name: "check-ins", Columns: columns, Size: listed, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		lines, marks, err := p.Uptime.CheckInLines(r.Context(), web.Project(r), page)
		for _, line := range lines {
			rows = append(rows, []any{called(line.CheckIn), line.Slug, string(line.State), schedule(line.CheckInSettings), line.ReportedAt, line.ExpectedAt})
		}
		return rows, marks.Next, err
	}}, nil
}

// exportCheckInEvents returns the history of a check-in, without the output of its job.
func (p *pages) exportCheckInEvents(r *http.Request) (web.Export, error) {
	pulse, err := p.Uptime.CheckInPulse(r.Context(), p.Now(), web.Project(r), r.PathValue("check_in_id"))
	columns := []string{"at", "kind", "status", "duration_ms", "exit_code", "environment", "release", "reason", "address", "user_agent"}
	return web.Export{Name: "history", Columns: columns, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		events, marks, err := p.Uptime.ListCheckInEvents(r.Context(), pulse.ProjectID, pulse.ID, page)
		for _, e := range events {
			rows = append(rows, eventCells(e))
		}
		return rows, marks.Next, err
	}}, err
}

func eventCells(e checks.CheckInEvent) []any {
	sent := checks.PingPayload{}
	if e.Payload != nil {
		sent = *e.Payload
	}
	var took, code any
	if sent.Duration != nil {
		took = *sent.Duration
	}
	if sent.ExitCode != nil {
		code = *sent.ExitCode
	}
	return []any{e.At, string(e.Kind), sent.Status, took, code, sent.Environment, sent.Release, sent.Reason, e.Source.Address, e.Source.Agent}
}

// exportMaintenance returns the maintenance windows of a project, the newest first, without the IDs of check-ins.
func (p *pages) exportMaintenance(r *http.Request) (web.Export, error) {
	columns := []string{"reason", "state", "starts_at", "ends_at", "for", "held", "sent", "created_by"}
	return web.Export{Name: "maintenance-windows", Columns: columns, Size: listedWindows, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		found, marks, err := p.Deliveries.ListMaintenance(r.Context(), web.Project(r), page)
		for _, w := range found {
			row := newWindowRow(w, p.Now())
			rows = append(rows, []any{w.Reason, row.Is.Word, w.StartsAt, w.EndsAt, row.For, w.Held, w.Sent, row.By})
		}
		return rows, marks.Next, err
	}}, nil
}
