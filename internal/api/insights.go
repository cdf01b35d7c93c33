package api

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"sett/internal/base/cron"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/insight"
)

func (a *API) insightRoutes() []serve.Route {
	return []serve.Route{{
		Method: "POST", Path: "/v2/projects/{project_id}/insights/queries", Name: "queryInsights", Tag: "Structured events", Permission: accounts.ReadProject,
		Body: insightQuery{}, Result: insightAnswer{}, Reads: true, Handle: a.queryInsights,
		Doc: "Query the structured events of a project in BadgerQL: clauses such as filter, fields, stats, sort and limit, and functions, as the manual lists them. A query may take 10 seconds and returns at most 1,000 rows.",
	}}
}

// insightQuery is the body of a query.
type insightQuery struct {
	Query    string `json:"query" doc:"The query, at most 8,000 bytes. For example: filter status::int >= 500 | stats count() as n by path::str | sort n desc. Default: the newest 100 events."`
	At       string `json:"ts,omitempty" doc:"The time whose events are wanted: a duration such as PT3H (the default), P1D or 15m; today, yesterday, week or month; a start time; or two of these with a slash between them. Events are kept for 7 days."`
	Timezone string `json:"timezone,omitempty" doc:"IANA time zone in which times are read and written, or its offset from UTC in seconds, such as 3600. Default: UTC."`

	StreamIDs []string `json:"stream_ids,omitempty" doc:"Ids of the streams whose events are read. Default: all streams. Unknown ids are ignored beside known ones."`
}

// insightAnswer is the answer to a query.
type insightAnswer struct {
	Results []insight.AnswerRow `json:"results" doc:"The rows, each an object with the columns of the query."`
	Meta    insightMeta         `json:"meta"`
	URL     string              `json:"url" doc:"The page with this query."`
}

type insightMeta struct {
	Query      string                 `json:"query"`
	Fields     []string               `json:"fields" doc:"Names of the columns."`
	Schema     []insight.AnswerColumn `json:"schema" doc:"Names and types of the columns. Types are datetime, string, integer, float, boolean and json."`
	Rows       int                    `json:"rows" doc:"Rows of this response."`
	TotalRows  int64                  `json:"total_rows" doc:"Rows that the query has, within its limit."`
	RowCount   int                    `json:"row_count" doc:"The same as rows."`
	TotalCount int64                  `json:"total_count" doc:"The same as total_rows."`
	StartAt    time.Time              `json:"start_at" doc:"The start of the time whose events were read, in the time zone of the query."`
	EndAt      time.Time              `json:"end_at" doc:"The end of that time."`
	Partial    bool                   `json:"partial,omitempty" doc:"The query took too long, or had too many groups: the results are not those of all events."`
	Notes      []string               `json:"notes,omitempty" doc:"Fields of the query that no event has."`
}

func (a *API) queryInsights(w http.ResponseWriter, r *http.Request) error {
	var body insightQuery
	if _, err := serve.DecodeBody(w, r, &body); err != nil {
		return err
	}
	zone, err := zoneOf(body.Timezone)
	if err != nil {
		return err
	}
	from, to, err := insight.ParseSpan(body.At, zone, a.Now())
	if err != nil {
		return err
	}
	statement, err := insight.ParseStatement(body.Query)
	if err != nil {
		return err
	}
	project := pathID(r, "project_id")
	plan := statement.Plan(from, to, zone)
	if plan.Streams, err = insight.StreamsOf(project, body.StreamIDs); err != nil {
		return err
	}
	found, err := a.Insights.Query(r.Context(), a.Now(), time.Now().Add(a.Insights.QueryTime), project, plan)
	if err != nil {
		return err
	}
	answer := statement.Answer(found, zone)
	meta := insightMeta{
		Query: body.Query, Fields: []string{}, Schema: answer.Columns, Rows: len(answer.Rows), TotalRows: answer.Total, RowCount: len(answer.Rows), TotalCount: answer.Total,
		StartAt: from.In(zone).Truncate(time.Second), EndAt: to.In(zone).Truncate(time.Second), Partial: answer.Partial, Notes: found.Missing,
	}
	for _, c := range answer.Columns {
		meta.Fields = append(meta.Fields, c.Name)
	}
	page := fmt.Sprintf("%s/projects/%d/insights/query?", a.BaseURL, project) + url.Values{"query": {body.Query}, "ts": {cmp.Or(body.At, insight.UsualSpan)}}.Encode()
	return serve.WriteJSON(w, http.StatusOK, insightAnswer{append([]insight.AnswerRow{}, answer.Rows...), meta, page})
}

// zoneOf returns the time zone of a query: one with a name, or an offset from UTC in seconds.
func zoneOf(text string) (*time.Location, error) {
	const most = 18 * 60 * 60 // which no zone has
	if offset, err := strconv.Atoi(text); err == nil && offset >= -most && offset <= most {
		return time.FixedZone("", offset), nil
	}
	zone, err := cron.TimeZone(text)
	if err != nil {
		return nil, sett.Refuse("timezone", "%s", err)
	}
	return zone, nil
}
