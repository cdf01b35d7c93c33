package api

import (
	"encoding/json"
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
)

func (a *API) reportRoutes() []serve.Route {
	route := func(kind stats.ReportKind, name, doc string) serve.Route {
		return serve.Route{
			Method: "GET", Path: "/v2/projects/{project_id}/reports/" + string(kind), Name: name, Tag: "Reports",
			Permission: accounts.ReadProject, Query: reportQuery{}, Result: []ReportRow{}, Handle: a.report(kind), Doc: doc,
		}
	}
	return []serve.Route{
		route(stats.NoticesByClass, "reportNoticesByClass",
			"Count notices by class. Each row has a class and a count: the top 1,000, with equal counts ordered by class."),
		route(stats.NoticesByLocation, "reportNoticesByLocation",
			"Count notices by location, such as a controller and its action. Each row has a location and a count: the top 1,000. Notices without a location have an empty one."),
		route(stats.NoticesByUser, "reportNoticesByUser",
			"Count notices by affected user. Each row has an email address or id and a count: the top 1,000. Notices without a user are left out."),
		route(stats.NoticesPerDay, "reportNoticesPerDay",
			"Count notices by UTC day, oldest first. Each row has a midnight and a count, which can be 0. If the period is longer than ten years, days before the first notice and after today are left out. If start or stop is within a day, only the hours between them count."),
	}
}

// reportBound is a query parameter that names an end of a report's time; see sett.ParseReportBound.
type reportBound struct{ stats.ReportBound }

// UnmarshalText reads a date, a date and time, or seconds since 1970.
func (b *reportBound) UnmarshalText(text []byte) (err error) {
	b.ReportBound, err = stats.ParseReportBound(string(text))
	return err
}

// JSONSchema describes all forms, as that of timeParam does.
func (reportBound) JSONSchema() map[string]any { return map[string]any{"type": "string"} }

// reportQuery says what a report is about.
type reportQuery struct {
	Start       reportBound `query:"start" doc:"Start: an ISO 8601 date (2026-11-01 or 20261101) or date and time (UTC by default), or Unix seconds. Rounded down to the full hour. Default: the midnight that results in seven days."`
	Stop        reportBound `query:"stop" doc:"End, in the same formats. A date includes the whole day; a time is rounded up to the full hour. Default: now."`
	Environment string      `query:"environment" doc:"Only notices of this environment."`
}

// ReportRow is a row of a report: an array of a label and a count.
type ReportRow stats.ReportRow

// MarshalJSON writes the row as the contract has it.
func (r ReportRow) MarshalJSON() ([]byte, error) { return json.Marshal([]any{r.Label, r.Count}) }

// UnmarshalJSON is the inverse of MarshalJSON.
func (r *ReportRow) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&r.Label, &r.Count})
}

// JSONSchema describes the array. Generators of clients do not know prefixItems, and read the items as any value: of a
// choice of two types some make a type that holds neither.
func (ReportRow) JSONSchema() map[string]any {
	return map[string]any{
		"type": "array", "minItems": 2, "maxItems": 2, "description": "A label and a count.",
		"prefixItems": []any{map[string]any{"type": "string"}, map[string]any{"type": "integer"}}, "items": map[string]any{},
	}
}

// report answers with a bare array (contract, General rules 3).
func (a *API) report(kind stats.ReportKind) serve.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		var q reportQuery
		if err := serve.DecodeQuery(r, &q); err != nil {
			return err
		}
		var problems sett.Problems
		now := a.Now()
		span := stats.NewReportSpan(&problems, q.Start.ReportBound, q.Stop.ReportBound, now)
		if err := problems.Refusal(); err != nil {
			return err
		}
		rows, err := a.Faults.ProjectReport(r.Context(), now, pathID(r, "project_id"), kind, q.Environment, span)
		if err != nil {
			return err
		}
		return serve.WriteJSON(w, http.StatusOK, viewAll(rows, func(row stats.ReportRow) ReportRow { return ReportRow(row) }))
	}
}
