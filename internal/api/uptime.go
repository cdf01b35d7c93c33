package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/sett/stats"
)

func (a *API) uptimeRoutes() []serve.Route {
	return []serve.Route{{
		Method: "GET", Path: sitePath + "/uptime", Name: "getUptime", Tag: "Sites", Permission: accounts.ReadProject,
		Query: uptimeQuery{}, Result: Uptime{}, Handle: a.getUptime,
		Doc: "Get uptime and response times of an uptime check, in total and by UTC day and location. Days without checks are left out, because they count neither as up nor as down.",
	}}
}

// Uptime is what the checks of a site from one midnight (UTC) to another add up to.
type Uptime struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to" doc:"Midnight after the last day."`
	UptimeSum
	Days []UptimeDay `json:"days" doc:"Oldest first."`
}

// UptimeSum is what checks add up to.
type UptimeSum struct {
	Checks int64    `json:"checks"`
	Failed int64    `json:"failed"`
	Uptime *float64 `json:"uptime" doc:"Percentage of successful checks; null without checks."`
	P50    *int64   `json:"p50" doc:"Median duration of successful checks in milliseconds, within 2 %; null without successful checks."`
	P95    *int64   `json:"p95" doc:"95th percentile, likewise."`
}

// UptimeDay is what the checks of a site from one location on one day add up to.
type UptimeDay struct {
	Day      string          `json:"day" doc:"Such as 2026-11-18."`
	Location checks.Location `json:"location"`
	UptimeSum
}

func viewUptime(span stats.UptimeSpan, days []checks.UptimeDay) Uptime {
	return Uptime{From: span.From, To: span.To, UptimeSum: sumUptime(days...), Days: viewAll(days, viewUptimeDay)}
}

func viewUptimeDay(d checks.UptimeDay) UptimeDay {
	return UptimeDay{Day: d.Day.Format(time.DateOnly), Location: d.Location, UptimeSum: sumUptime(d)}
}

func sumUptime(days ...checks.UptimeDay) UptimeSum {
	u := checks.SumUptime(days)
	sum := UptimeSum{Checks: u.Checks, Failed: u.Failed}
	if percent, ok := u.Percent(); ok {
		sum.Uptime = &percent
	}
	if u.Checks > u.Failed {
		sum.P50, sum.P95 = new(milliseconds(u.Latencies.Quantile(0.50))), new(milliseconds(u.Latencies.Quantile(0.95)))
	}
	return sum
}

// uptimeQuery selects the days.
type uptimeQuery struct {
	From reportBound `query:"from" doc:"First day: an ISO 8601 date or date and time (UTC by default), or Unix seconds. Default: 30 days in total."`
	To   reportBound `query:"to" doc:"Last day, in the same formats. Default: today. At most 366 days in total."`

	Start reportBound `query:"start" doc:"Alias of from, as in reports."`
	Stop  reportBound `query:"stop" doc:"Alias of to, as in reports."`
}

// span returns the days that the query asks for, and notes what is wrong with it.
func (q uptimeQuery) span(p *sett.Problems, now time.Time) stats.UptimeSpan {
	return stats.NewUptimeSpan(p, eitherBound(p, q.From, q.Start, "from", "start"), eitherBound(p, q.To, q.Stop, "to", "stop"), now)
}

// eitherBound returns a bound that has two names.
func eitherBound(p *sett.Problems, own, other reportBound, name, otherName string) stats.ReportBound {
	if other.From.IsZero() {
		return own.ReportBound
	}
	if !own.From.IsZero() {
		p.Add(otherName, "must not be sent together with its alias %s", name)
	}
	return other.ReportBound
}

func (a *API) getUptime(w http.ResponseWriter, r *http.Request) error {
	var q uptimeQuery
	if err := serve.DecodeQuery(r, &q); err != nil {
		return err
	}
	var problems sett.Problems
	span := q.span(&problems, a.Now())
	if err := problems.Refusal(); err != nil {
		return err
	}
	days, err := a.Uptime.UptimeDays(r.Context(), pathID(r, "project_id"), siteID(r), span.From, span.To)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewUptime(span, days))
}
