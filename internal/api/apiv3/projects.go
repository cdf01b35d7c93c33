package apiv3

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"sett/internal/sett/shape"
)

const projectPath = "/projects/{project_id}"

func projectOperations() []operation {
	return []operation{
		{Name: "listProjects", Method: "GET", Path: "/projects", Scope: "projects:read", Route: "listProjects", List: pages, View: as[shape.Project](), Keep: keepProject},
		{Name: "createProject", Method: "POST", Path: "/projects", Scope: "projects:create", Route: "createProject", View: as[shape.Project](), Account: true, Differs: "Takes `team_ids` instead of `team_id`, and has no `disable_email_notifications`."},
		{Name: "listAccountOccurrences", Method: "GET", Path: "/projects/occurrences", Scope: "projects:read", Route: "listProjects", Needs: []string{"listProjectOccurrences"}, List: pages, View: as[Series](), Run: (*call).listSeries},
		{Name: "getProject", Method: "GET", Path: projectPath, Scope: "projects:read", Route: "getProject", View: as[shape.Project]()},
		{Name: "updateProject", Method: "PATCH", Path: projectPath, Scope: "projects:write", Route: "updateProject", Read: "getProject", View: as[shape.Project]()},
		{Name: "deleteProject", Method: "DELETE", Path: projectPath, Scope: "projects:write", Route: "deleteProject"},
		{Name: "getProjectStats", Method: "GET", Path: projectPath + "/stats", Scope: "projects:read", Route: "getProject", Needs: []string{"listProjectOccurrences"}, View: as[ProjectStats](), Run: (*call).showStats},
		{Name: "getProjectOccurrences", Method: "GET", Path: projectPath + "/occurrences", Scope: "projects:read", Route: "listProjectOccurrences", View: as[Series](), Run: (*call).showSeries},
	}
}

// keepProject leaves out what the token does not reach, and other names than a wanted one.
func keepProject(c *call, object any) bool {
	p := object.(shape.Project) //nolint:forcetypeassert // what as[shape.Project] returns
	number, _ := strconv.ParseInt(string(p.ID), 10, 64)
	return c.who.Grant.Reaches(string(p.AccountID), number) && keepNamed(c, p.Name)
}

func keepNamed(c *call, name string) bool { return !c.query.Has("name") || c.query.Get("name") == name }

// Series is how many notices a project had over time.
type Series struct {
	ProjectID id       `json:"project_id"`
	Buckets   []bucket `json:"buckets"`
}

type bucket struct {
	Timestamp time.Time `json:"timestamp"`
	Count     int64     `json:"count"`
}

// seriesMeta says what a series is about.
type seriesMeta struct {
	meta
	Period   string `json:"period"`
	Interval string `json:"interval" doc:"How long a bucket is."`
}

func (c *call) seriesMeta() seriesMeta {
	period := c.query.Get("period")
	if period == "" {
		period = "hour"
	}
	return seriesMeta{c.meta(), period, map[string]string{"hour": "minute", "day": "hour"}[period] + map[string]string{"week": "day", "month": "day"}[period]}
}

// series reads the notices of a project over a period.
func (c *call) series(project id, query url.Values) (Series, error) {
	s := Series{ProjectID: project, Buckets: []bucket{}}
	found, err := c.askAt("listProjectOccurrences", map[string]string{"project_id": string(project)}, query, nil)
	if err != nil {
		return s, err
	}
	s.Buckets, err = bucketsOf(found.Body)
	return s, err
}

// bucketsOf reads rows of a Unix time and a count.
func bucketsOf(raw []byte) ([]bucket, error) {
	var rows [][2]int64
	if err := json.Unmarshal(raw, &rows); err != nil {
		return nil, err
	}
	all := make([]bucket, len(rows))
	for i, row := range rows {
		all[i] = bucket{time.Unix(row[0], 0).UTC(), row[1]}
	}
	return all, nil
}

func (c *call) showSeries() error {
	series, err := c.series(id(c.r.PathValue("project_id")), c.passed())
	if err != nil {
		return err
	}
	return writeOne(c, series, c.seriesMeta())
}

// listSeries shows the series of a page of projects.
func (c *call) listSeries() error {
	asked := *c
	asked.op.Keep, asked.op.View, asked.query = keepProject, as[shape.Project](), url.Values{}
	all, err := asked.readAll()
	if err != nil {
		return err
	}
	var projects []shape.Project
	for _, raw := range all {
		shown, err := asked.op.View.of(&asked, raw)
		if err != nil {
			return err
		}
		if p, ok := shown.(shape.Project); ok && keepProject(&asked, p) {
			projects = append(projects, p)
		}
	}
	page, size := c.number("page", 1), c.number("per_page", usualPerPage)
	from := min(len(projects), (page-1)*size)
	to := min(len(projects), from+size)
	var raws []json.RawMessage
	for _, p := range projects[from:to] {
		series, err := c.series(p.ID, c.passed())
		if err != nil {
			return err
		}
		raw, err := json.Marshal(series)
		if err != nil {
			return err
		}
		raws = append(raws, raw)
	}
	return c.writePage(page, size, raws, to < len(projects))
}

// ProjectStats are the counts of a project.
type ProjectStats struct {
	ID              id    `json:"id"`
	FaultCount      int64 `json:"fault_count"`
	UnresolvedCount int64 `json:"unresolved_fault_count"`
	Today           int64 `json:"notice_count_today" doc:"Of the last 24 hours."`
	Week            int64 `json:"notice_count_week"`
	Month           int64 `json:"notice_count_month"`
}

func (c *call) showStats() error {
	found, err := c.ask("getProject", nil, nil)
	if err != nil {
		return err
	}
	var s ProjectStats
	if err := json.Unmarshal(found.Body, &s); err != nil {
		return err
	}
	for _, period := range []struct {
		name  string
		count *int64
	}{{"day", &s.Today}, {"week", &s.Week}, {"month", &s.Month}} {
		series, err := c.series(s.ID, url.Values{"period": {period.name}})
		if err != nil {
			return err
		}
		for _, b := range slices.Clip(series.Buckets) {
			*period.count += b.Count
		}
	}
	return c.data(http.StatusOK, s)
}
