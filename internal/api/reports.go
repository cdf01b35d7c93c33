package api

import (
	"encoding/json"
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
)

func (a *API) reportRoutes() []serve.Route {
	route := func(kind sett.ReportKind, name, doc string) serve.Route {
		return serve.Route{
			Method: "GET", Path: "/v2/projects/{project_id}/reports/" + string(kind), Name: name, Tag: "Reports",
			Permission: sett.ReadProject, Query: reportQuery{}, Result: []ReportRow{}, Handle: a.report(kind), Doc: doc,
		}
	}
	return []serve.Route{
		route(sett.NoticesByClass, "reportNoticesByClass",
			"Notices by the class of their error, as rows of a class and a count: the 1,000 greatest, those with equal counts by their label."),
		route(sett.NoticesByLocation, "reportNoticesByLocation",
			"Notices by where they happened, such as a controller and its action, as rows of a location and a count: the 1,000 greatest. Notices without a location are those at an empty one."),
		route(sett.NoticesByUser, "reportNoticesByUser",
			"Notices by whom they happened to, as rows of a user's e-mail address or id and a count: the 1,000 greatest. Notices that tell no user are left out."),
		route(sett.NoticesPerDay, "reportNoticesPerDay",
			"Notices of each UTC day, zero or not, as rows of a midnight and a count, the earliest first. Of more than ten years, the days before the first notice and after today are left out. Of a day that begins before start or ends after stop only the hours between them are counted."),
	}
}

// reportBound is a query parameter that names an end of a report's time; see sett.ParseReportBound.
type reportBound struct{ sett.ReportBound }

// UnmarshalText reads a date, a date and time, or seconds since 1970.
func (b *reportBound) UnmarshalText(text []byte) (err error) {
	b.ReportBound, err = sett.ParseReportBound(string(text))
	return err
}

// JSONSchema describes all forms, as that of timeParam does.
func (reportBound) JSONSchema() map[string]any { return map[string]any{"type": "string"} }

// reportQuery says what a report is about.
type reportQuery struct {
	Start       reportBound `query:"start" doc:"Begin: an ISO 8601 date (2026-11-01 or 20261101) or date and time (UTC unless it says otherwise), or seconds since 1970. Taken down to the full hour. Default: the midnight that makes it seven days."`
	Stop        reportBound `query:"stop" doc:"End, in the same forms. A date belongs to the report, all of it; a time is taken up to the full hour. Default: now."`
	Environment string      `query:"environment" doc:"Only the notices of this environment."`
}

// ReportRow is a row of a report: an array of a label and a count.
type ReportRow sett.ReportRow

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
func (a *API) report(kind sett.ReportKind) serve.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		var q reportQuery
		if err := serve.DecodeQuery(r, &q); err != nil {
			return err
		}
		var problems sett.Problems
		now := a.Now()
		span := sett.NewReportSpan(&problems, q.Start.ReportBound, q.Stop.ReportBound, now)
		if err := problems.Refusal(); err != nil {
			return err
		}
		rows, err := a.Store.ProjectReport(r.Context(), now, pathID(r, "project_id"), kind, q.Environment, span)
		if err != nil {
			return err
		}
		return serve.WriteJSON(w, http.StatusOK, viewAll(rows, func(row sett.ReportRow) ReportRow { return ReportRow(row) }))
	}
}
