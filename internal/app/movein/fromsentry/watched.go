package fromsentry

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sett/internal/app/movein/remote"
	"sett/internal/sett/move"
)

// Watched returns the cron monitors of a project as check-ins, and its uptime monitors as sites.
func (s *Source) Watched(ctx context.Context, p move.Project) (*move.Monitoring, error) {
	m := &move.Monitoring{From: s.Place()}
	if err := s.monitors(ctx, p, m); err != nil {
		return nil, err
	}
	return m, s.detectors(ctx, p, m)
}

// mostMonitors is how many monitors of a project come.
const mostMonitors = 5_000

// monitorJSON is a cron monitor of Sentry, or any monitor of GlitchTip, which has a type.
type monitorJSON struct {
	ID      text            `json:"id"`
	Slug    string          `json:"slug"`
	Name    string          `json:"name"`
	Status  string          `json:"status"`
	Muted   bool            `json:"isMuted"`
	Project json.RawMessage `json:"project"` // an object, or its id
	Config  struct {
		Type     text            `json:"schedule_type"`
		Schedule json.RawMessage `json:"schedule"` // of a crontab, or a number and a unit
		Margin   float64         `json:"checkin_margin"`
		Zone     string          `json:"timezone"`
	} `json:"config"`

	Type     string `json:"monitorType"`
	URL      string `json:"url"`
	Interval text   `json:"interval"` // seconds, or hours:minutes:seconds
	Timeout  text   `json:"timeout"`  // seconds
	Expected text   `json:"expectedStatus"`
	Body     string `json:"expectedBody"`
}

// of reports whether a monitor is one of a project. A server may list those of all.
func (j *monitorJSON) of(p move.Project) bool {
	var object struct {
		ID text `json:"id"`
	}
	var id text
	if json.Unmarshal(j.Project, &object) == nil && object.ID != "" {
		return string(object.ID) == p.ID
	}
	return json.Unmarshal(j.Project, &id) == nil && string(id) == p.ID
}

func (s *Source) monitors(ctx context.Context, p move.Project, m *move.Monitoring) error {
	err := all(ctx, s.c, "monitors", s.ofOrg("monitors"), url.Values{"project": {p.ID}, "per_page": {"100"}}, func(rows []monitorJSON) {
		for i := range rows {
			if j := &rows[i]; j.of(p) && len(m.CheckIns)+len(m.Sites) < mostMonitors {
				j.Name = move.Line(cmp.Or(strings.TrimSpace(j.Name), j.Slug, string(j.ID)), move.MostName)
				if j.Type != "" {
					glitchTip(j, m)
				} else {
					cron(j, m)
				}
			}
		}
	})
	return readable(m, "monitors", move.CheckInsPage, err)
}

// readable passes over that a server does not have a list, and notes that it does not show one.
func readable(m *move.Monitoring, noun, page string, err error) error {
	if remote.IsForbidden(err) {
		m.Leave(noun, "", notShown, page)
	}
	if remote.IsMissing(err) || remote.IsOther(err) {
		return nil
	}
	return err
}

// cron makes a check-in with the same slug: the jobs of a project go on to report to it.
func cron(j *monitorJSON, m *move.Monitoring) {
	c := move.CheckIn{
		ID: move.Line(cmp.Or(string(j.ID), j.Slug), move.MostName), Name: j.Name, Slug: move.Line(j.Slug, move.MostName),
		Grace: time.Duration(min(max(j.Config.Margin, 1), 365*24*60)) * time.Minute, Zone: move.Line(j.Config.Zone, move.MostName),
	}
	switch every, ok := intervalOf(j.Config.Schedule); {
	case ok:
		c.Every, c.Zone = every, ""
	case json.Unmarshal(j.Config.Schedule, &c.Cron) != nil || strings.TrimSpace(c.Cron) == "":
		m.Leave("cron monitors", j.Name, "Its schedule cannot be read.", move.CheckInsPage)
		return
	}
	c.Cron = move.Line(c.Cron, move.MostName)
	if j.Muted || j.Status == "disabled" {
		m.Leave("pauses", j.Name, "It is muted or off. In sett it waits for the first report of its job, and notifies no one before.", move.CheckInsPage)
	}
	m.CheckIns = append(m.CheckIns, c)
}

// units are those of an interval. A month and a year are as long as they are at most.
var units = map[string]time.Duration{
	"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour, "month": 31 * 24 * time.Hour, "year": 365 * 24 * time.Hour,
}

// intervalOf reads an interval, such as [2,"hour"].
func intervalOf(schedule json.RawMessage) (time.Duration, bool) {
	var pair []any
	if json.Unmarshal(schedule, &pair) != nil || len(pair) != 2 {
		return 0, false
	}
	count, _ := pair[0].(float64)
	unit, _ := pair[1].(string)
	long := units[strings.TrimSuffix(unit, "s")]
	return time.Duration(min(max(count, 0), 1_000_000)) * long, count >= 1 && long > 0
}

// detectorJSON is an uptime monitor; older servers list what it checks without a data source.
type detectorJSON struct {
	ID      text   `json:"id"`
	Name    string `json:"name"`
	Type    string `json:"type"`
	Enabled *bool  `json:"enabled"`
	Project text   `json:"projectId"`
	Config  struct {
		Failures float64 `json:"downtimeThreshold"`
	} `json:"config"`
	Sources []struct {
		Query uptimeJSON `json:"queryObj"`
	} `json:"dataSources"`

	Slug   string `json:"projectSlug"`
	Status string `json:"status"`
	uptimeJSON
}

type uptimeJSON struct {
	URL       string          `json:"url"`
	Method    string          `json:"method"`
	Body      string          `json:"body"`
	Headers   [][]string      `json:"headers"`
	Seconds   float64         `json:"intervalSeconds"`
	Timeout   float64         `json:"timeoutMs"`
	Assertion json.RawMessage `json:"assertion"`
}

// uptimeType is what a detector is called that asks an address.
const uptimeType = "uptime_domain_failure"

func (s *Source) detectors(ctx context.Context, p move.Project, m *move.Monitoring) error {
	query := url.Values{"project": {p.ID}, "per_page": {"100"}}
	err := all(ctx, s.c, "uptime", s.ofOrg("uptime"), query, func(rows []detectorJSON) {
		for _, d := range rows {
			if d.Slug == p.Slug {
				site(d, d.uptimeJSON, m)
			}
		}
	})
	if !remote.IsMissing(err) && !remote.IsOther(err) {
		return err
	}
	query.Set("query", "type:"+uptimeType)
	err = all(ctx, s.c, "detectors", s.ofOrg("detectors"), query, func(rows []detectorJSON) {
		for _, d := range rows {
			if string(d.Project) == p.ID && d.Type == uptimeType && len(d.Sources) > 0 {
				site(d, d.Sources[0].Query, m)
			}
		}
	})
	return readable(m, "uptime monitors", move.SitesPage, err)
}

func site(d detectorJSON, asks uptimeJSON, m *move.Monitoring) {
	if len(m.Sites) >= mostMonitors {
		return
	}
	site := move.Site{
		ID: move.Line(string(d.ID), move.MostName), Name: move.Line(cmp.Or(d.Name, asks.URL), move.MostName), URL: asks.URL, Method: asks.Method, Body: asks.Body,
		Every: time.Duration(min(max(asks.Seconds, 60), 24*3600)) * time.Second, Timeout: time.Duration(min(max(asks.Timeout, 0), 600_000)) * time.Millisecond,
		Match: move.AnySuccess, FollowRedirects: true, Failures: int64(min(max(d.Config.Failures, 0), 100)), Paused: d.Enabled != nil && !*d.Enabled || d.Status == "disabled",
	}
	if site.Method = strings.ToUpper(site.Method); site.Method == "HEAD" || site.Method == "OPTIONS" || site.Method == "" {
		site.Method = "GET"
	}
	for _, h := range asks.Headers {
		if len(h) == 2 {
			site.Headers = append(site.Headers, move.Header{Name: h[0], Value: h[1]})
		}
	}
	if said := string(asks.Assertion); said != "" && said != "null" && said != "{}" {
		m.Leave("uptime monitors", site.Name, "Its assertion does not come: a status from 200 to 299 is good.", move.SitesPage)
	}
	m.Sites = append(m.Sites, site)
}

// glitchTip makes a site or a check-in of a monitor of GlitchTip.
func glitchTip(j *monitorJSON, m *move.Monitoring) {
	left := func(why, page string) { m.Leave("monitors", j.Name, why, page) }
	site := move.Site{
		ID: move.Line(string(j.ID), move.MostName), Name: j.Name, URL: j.URL, Every: clock(j.Interval), Timeout: clock(j.Timeout), Method: "GET", Match: move.AnySuccess, FollowRedirects: true,
	}
	switch j.Type {
	case "Heartbeat":
		every := max(site.Every, time.Minute)
		m.CheckIns = append(m.CheckIns, move.CheckIn{ID: site.ID, Name: j.Name, Every: every, Grace: time.Minute})
		left("It comes as a check-in: give its job the new address.", move.CheckInsPage)
		return
	case "TCP Port":
		site.URL, site.FollowRedirects = "tcp://"+strings.TrimPrefix(site.URL, "tcp://"), false
	case "POST":
		site.Method = "POST"
	case "GET", "Ping":
	default:
		left(fmt.Sprintf("sett has no check of the type %s.", move.Line(j.Type, 40)), move.SitesPage)
		return
	}
	switch {
	case j.Type == "TCP Port":
	case j.Body != "":
		site.Match, site.Text = move.WithText, j.Body
	case j.Expected != "":
		site.Match, site.Text = move.OneStatus, string(j.Expected)
	}
	m.Sites = append(m.Sites, site)
}

// clock reads seconds, or hours:minutes:seconds; 0 for what it cannot read.
func clock(t text) (d time.Duration) {
	for part := range strings.SplitSeq(string(t), ":") {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil || n < 0 || n > 31*24*3600 {
			return 0
		}
		d = d*60 + time.Duration(n*float64(time.Second))
	}
	return min(d, 31*24*time.Hour)
}

// Pages returns nothing: there are no status pages.
func (*Source) Pages(context.Context) (*move.Monitoring, error) { return nil, nil }
