package fromhoneybadger

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/app/movein/remote"
	"sett/internal/sett/move"
)

// Watched returns the sites, check-ins and channels of a project, with the newest outages of each site.
func (s *Source) Watched(ctx context.Context, p move.Project) (*move.Monitoring, error) {
	m := &move.Monitoring{From: s.Place()}
	for _, read := range []func(context.Context, move.Project, *move.Monitoring) error{s.sites, s.checkIns, s.channels} {
		if err := read(ctx, p, m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// unread notes that a list cannot be read, which does not mean that it is empty. Another error stays one.
func unread(m *move.Monitoring, noun, page string, err error) error {
	if !remote.IsMissing(err) && !remote.IsOther(err) {
		return err
	}
	m.Leave(noun, "", "The server does not show them to this token: look there.", page)
	return nil
}

// mostWatched is how many sites or check-ins of a project come.
const mostWatched = 5_000

type siteJSON struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	URL         string `json:"url"`
	Active      *bool  `json:"active"`
	Frequency   int64  `json:"frequency"` // minutes
	LastChecked string `json:"last_checked_at"`
	Match       string `json:"match"`
	MatchType   string `json:"match_type"`
	Method      string `json:"request_method"`
	Body        string `json:"request_body"`
	Headers     []struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	} `json:"request_headers"`
	ValidateSSL *bool    `json:"validate_ssl"`
	Threshold   int64    `json:"outage_threshold"`
	Locations   []string `json:"locations"`
	Timeout     int64    `json:"timeout"` // of sett
	Redirects   bool     `json:"follow_redirects"`
}

func (s *Source) sites(ctx context.Context, p move.Project, m *move.Monitoring) error {
	rows, err := whole[siteJSON](ctx, s, "sites", ofProject(p, "sites"), nil)
	if err != nil {
		return unread(m, "sites", move.SitesPage, err)
	}
	for _, j := range rows[:min(len(rows), mostWatched)] {
		site := move.Site{
			ID: move.Line(j.ID, move.MostName), Name: move.Line(j.Name, move.MostName), URL: j.URL, Every: time.Duration(min(max(j.Frequency, 1), 60)) * time.Minute,
			Timeout: time.Duration(min(max(j.Timeout, 0), 600)) * time.Second, Method: strings.ToUpper(j.Method), Body: j.Body, Match: move.Match(j.MatchType), Text: j.Match,
			AnyCertificate: j.ValidateSSL != nil && !*j.ValidateSSL, FollowRedirects: j.Redirects, Failures: min(max(j.Threshold, 0), 100), Paused: j.Active != nil && !*j.Active,
		}
		if site.Method == "" {
			site.Method = "GET"
		}
		if site.Match == "" {
			site.Match = move.AnySuccess
		}
		for _, h := range j.Headers {
			site.Headers = append(site.Headers, move.Header{Name: h.Key, Value: h.Value})
		}
		if len(j.Locations) > 0 {
			m.Leave("locations", site.Name, "sett checks it from everywhere that it has: "+move.Line(strings.Join(j.Locations, ", "), 100)+" were chosen.", move.SitesPage)
		}
		if site.Past, err = s.outages(ctx, p, j); err != nil {
			return err
		}
		m.Sites = append(m.Sites, site)
	}
	return nil
}

// outages returns when a site was down. The list has the newest first.
func (s *Source) outages(ctx context.Context, p move.Project, j siteJSON) (past move.Past, err error) {
	cursor := ""
	for range 1 + move.MostOutages/noticesAtOnce {
		l, err := page[struct {
			Down    string `json:"down_at"`
			Up      string `json:"up_at"`
			Created string `json:"created_at"`
			Reason  string `json:"reason"`
		}](ctx, s, "outages", ofProject(p, "sites/"+url.PathEscape(j.ID)+"/outages"), url.Values{"limit": {"25"}}, cursor)
		if remote.IsMissing(err) || remote.IsOther(err) {
			break
		}
		if err != nil {
			return past, err
		}
		for _, o := range l.Results {
			if down, up := timeOf(o.Down), timeOf(o.Up); !down.IsZero() && up.After(down) {
				past.Outages = append(past.Outages, move.Outage{Down: down, Up: up, Reason: move.Line(o.Reason, move.MostName)})
			}
		}
		if cursor = l.next(); cursor == "" || len(past.Outages) >= move.MostOutages {
			break
		}
	}
	if len(past.Outages) == 0 {
		return past, nil
	}
	slices.SortFunc(past.Outages, func(a, b move.Outage) int { return a.Down.Compare(b.Down) })
	past.Since, past.Last = past.Outages[0].Down, timeOf(j.LastChecked)
	if newest := past.Outages[len(past.Outages)-1].Up; past.Last.Before(newest) {
		past.Last = newest
	}
	return past, nil
}

type checkInJSON struct {
	ID       string     `json:"id"`
	Name     string     `json:"name"`
	Slug     string     `json:"slug"`
	Type     string     `json:"schedule_type"`
	Period   periodJSON `json:"report_period"`
	Grace    periodJSON `json:"grace_period"`
	Schedule string     `json:"cron_schedule"`
	Zone     string     `json:"cron_timezone"`
	URL      string     `json:"url"`
}

// periodJSON is a time as people write it, such as "1 day", or a number of minutes.
type periodJSON time.Duration

func (d *periodJSON) UnmarshalJSON(b []byte) error {
	if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		*d = periodJSON(time.Duration(min(max(n, 0), 1_000_000)) * time.Minute)
		return nil
	}
	var said string
	_ = json.Unmarshal(b, &said) // what no server writes is no period
	words := strings.Fields(said)
	if len(words) != 2 {
		return nil
	}
	n, err := strconv.ParseInt(words[0], 10, 64)
	if err == nil {
		*d = periodJSON(time.Duration(min(max(n, 0), 1_000_000)) * periods[strings.TrimSuffix(strings.ToLower(words[1]), "s")])
	}
	return nil
}

var periods = map[string]time.Duration{
	"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour, "month": 30 * 24 * time.Hour,
}

// checkIns brings check-ins with the ids that their jobs report to.
func (s *Source) checkIns(ctx context.Context, p move.Project, m *move.Monitoring) error {
	rows, err := whole[checkInJSON](ctx, s, "check-ins", ofProject(p, "check_ins"), nil)
	if err != nil {
		return unread(m, "check-ins", move.CheckInsPage, err)
	}
	for _, j := range rows[:min(len(rows), mostWatched)] {
		c := move.CheckIn{
			ID: move.Line(j.ID, move.MostName), Name: move.Line(j.Name, move.MostName), Slug: move.Line(j.Slug, move.MostName), Grace: time.Duration(j.Grace),
			Aliases: []string{move.CheckInAlias(j.ID)},
		}
		if j.Type == "cron" {
			c.Cron, c.Zone = move.Line(j.Schedule, move.MostName), move.Line(j.Zone, move.MostName)
		} else {
			c.Every = time.Duration(j.Period)
		}
		if shown := j.URL[strings.LastIndexByte(j.URL, '/')+1:]; shown != "" && shown != j.ID {
			c.Aliases = append(c.Aliases, move.CheckInAlias(shown))
		}
		m.CheckIns = append(m.CheckIns, c)
	}
	return nil
}

// hidden is what another sett shows of a secret.
const hidden = "***"

// channels brings channels whose options the server shows.
func (s *Source) channels(ctx context.Context, p move.Project, m *move.Monitoring) error {
	var rows []struct {
		ID           int64          `json:"id"`
		Type         string         `json:"type"`
		Options      map[string]any `json:"options"`
		Environments []string       `json:"excluded_environments"`
		Events       []string       `json:"events"`
		Filters      []any          `json:"filters"`
	}
	if err := s.get(ctx, "channels", ofProject(p, "integrations"), nil, &rows); err != nil {
		return unread(m, "channels", move.ChannelsPage, err)
	}
	for _, j := range rows[:min(len(rows), mostWatched)] {
		c := move.Channel{ID: strconv.FormatInt(j.ID, 10), Name: move.Line(j.Type, move.MostName), Type: j.Type, Options: map[string]any{}, Events: j.Events, Excluded: j.Environments}
		hides := false
		for name, value := range j.Options {
			switch text, _ := value.(string); {
			case strings.Contains(text, hidden):
				hides = true
			case name == "label" && text != "":
				c.Name = move.Line(text, move.MostName)
			case name != "label":
				c.Options[name] = value
			}
		}
		m.Channels = append(m.Channels, c)
		if hides {
			m.Leave("channels", c.Name, "The server hides its secrets: write them again.", move.ChannelsPage)
		}
		if len(j.Filters) > 0 {
			m.Leave("channels", c.Name, "Its filters do not come.", move.ChannelsPage)
		}
	}
	return nil
}

// mostStatusPages is how many status pages of an account come.
const mostStatusPages = 500

// Pages returns the status pages of the account, with their sites and check-ins in order.
func (s *Source) Pages(ctx context.Context) (*move.Monitoring, error) {
	m := &move.Monitoring{From: s.Place()}
	if s.account == "" {
		return m, nil
	}
	rows, err := whole[struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		Domain string `json:"domain"`
		Sites  []struct {
			ID   string `json:"site_id"`
			Name string `json:"display_name"`
		} `json:"sites"`
		CheckIns []struct {
			ID   string `json:"check_in_id"`
			Name string `json:"display_name"`
		} `json:"check_ins"`
	}](ctx, s, "status pages", "v2/accounts/"+url.PathEscape(s.account)+"/status_pages", nil)
	if err != nil {
		return m, unread(m, "status pages", move.PagesPage, err)
	}
	for _, j := range rows[:min(len(rows), mostStatusPages)] {
		p := move.StatusPage{ID: move.Line(j.ID, move.MostName), Name: move.Line(j.Name, move.MostName), Domain: move.Line(j.Domain, move.MostName)}
		for _, c := range j.Sites {
			p.Components = append(p.Components, move.Component{Kind: move.SiteKind, ID: c.ID, Name: c.Name})
		}
		for _, c := range j.CheckIns {
			p.Components = append(p.Components, move.Component{Kind: move.CheckInKind, ID: c.ID, Name: c.Name})
		}
		m.Pages = append(m.Pages, p)
	}
	return m, nil
}
