// Package fromhealthchecks reads the checks of a project of Healthchecks by its API, hosted or not. It takes an API key; it
// returns check-ins with their ping addresses and when they were down. It names the channels, of which that API shows no
// secret. It only reads, and never returns the key.
package fromhealthchecks

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"sett/internal/app/movein/remote"
	"sett/internal/sett/move"
)

// Options say which server is asked, and with which key.
type Options struct {
	URL, Token string

	Do   func(*http.Request) (*http.Response, error)
	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration, why string) error
}

// most is how many checks are read.
const most = 10_000

// check is a check as the API has it.
type check struct {
	Name      string    `json:"name"`
	Slug      string    `json:"slug"`
	Tags      string    `json:"tags"`
	Grace     int64     `json:"grace"`   // seconds
	Timeout   int64     `json:"timeout"` // seconds; 0 with a schedule
	Schedule  string    `json:"schedule"`
	Zone      string    `json:"tz"`
	Status    string    `json:"status"`
	LastPing  time.Time `json:"last_ping"`
	Methods   string    `json:"methods"`
	UUID      string    `json:"uuid"`
	PingURL   string    `json:"ping_url"`
	UniqueKey string    `json:"unique_key"` // with a key that only reads
}

func (c check) id() string { return cmp.Or(c.UUID, lastOf(c.PingURL, 1), c.UniqueKey) }

// lastOf returns the last parts of the path of an address.
func lastOf(address string, n int) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	return strings.Join(parts[max(0, len(parts)-n):], "/")
}

// Read returns all that the key shows.
func Read(ctx context.Context, o Options) (*move.Monitoring, error) {
	server, err := remote.New(remote.Options{
		URL: o.URL, Example: "https://healthchecks.io", Header: http.Header{"X-Api-Key": {o.Token}}, Do: o.Do, Now: o.Now, Wait: o.Wait,
		Refused: "Use a read-write API key: at Healthchecks, open the settings of the project.",
	})
	if err != nil {
		return nil, err
	}
	var list struct {
		Checks []check `json:"checks"`
	}
	if _, err := server.JSON(ctx, "checks", "/api/v3/checks/", nil, &list); err != nil {
		return nil, err
	}
	m := &move.Monitoring{From: move.Place{Source: "healthchecks", Host: server.Host()}}
	hidden, tags := 0, false
	for _, c := range list.Checks[:min(len(list.Checks), most)] {
		in := checkIn(c)
		if len(in.Aliases) == 0 {
			hidden++
		}
		tags = tags || c.Tags != ""
		if in.Past, err = past(ctx, server, c); err != nil {
			return nil, err
		}
		note(m, c, in)
		m.CheckIns = append(m.CheckIns, in)
	}
	if hidden > 0 {
		m.Leave("ping addresses", "", fmt.Sprintf("%d are hidden from this key. Use a read-write key, or give the jobs their new addresses.", hidden), move.CheckInsPage)
	}
	if tags {
		m.Leave("tags", "", "Check-ins have no tags.", "")
	}
	return m, channels(ctx, server, m)
}

func checkIn(c check) move.CheckIn {
	in := move.CheckIn{
		ID: c.id(), Name: move.Line(cmp.Or(c.Name, c.Slug, "Unnamed check"), move.MostName), Slug: move.Line(c.Slug, move.MostName), Grace: seconds(c.Grace), Paused: c.Status == "paused",
	}
	if c.Schedule != "" {
		in.Cron, in.Zone = move.Line(c.Schedule, move.MostName), move.Line(c.Zone, move.MostName)
	} else {
		in.Every = seconds(c.Timeout)
	}
	for _, alias := range []string{c.UUID, address(c.PingURL)} {
		if alias != "" && !slices.Contains(in.Aliases, move.PingAlias(strings.ToLower(alias))) {
			in.Aliases = append(in.Aliases, move.PingAlias(alias))
		}
	}
	return in
}

// address is what follows /ping/ in a ping address: the id of a check, or the key of its project and its slug.
func address(ping string) string {
	if ping == "" {
		return ""
	}
	if last := lastOf(ping, 1); strings.Count(last, "-") == 4 && len(last) == 36 {
		return strings.ToLower(last)
	}
	return lastOf(ping, 2)
}

// seconds is a time in seconds, of at most a year.
func seconds(n int64) time.Duration { return time.Duration(min(max(n, 0), 365*24*3600)) * time.Second }

func note(m *move.Monitoring, c check, in move.CheckIn) {
	if in.Paused {
		m.Leave("pauses", in.Name, "It is paused. In sett it waits for the first report of its job, and notifies no one before.", move.CheckInsPage)
	}
	if strings.Contains(c.Schedule, ":") {
		m.Leave("schedules", in.Name, "It is written for systemd; in sett it has the form of a crontab.", move.CheckInsPage)
	}
	if c.Methods != "" {
		m.Leave("filters", in.Name, "sett accepts reports by GET, HEAD and POST alike.", "")
	}
}

// flip is a change of the state of a check.
type flip struct {
	At time.Time `json:"timestamp"`
	Up int       `json:"up"`
}

// past reads when a check was down. A server that does not show it has no past.
func past(ctx context.Context, server *remote.Server, c check) (p move.Past, err error) {
	var answer json.RawMessage
	if _, err := server.JSON(ctx, "checks", "/api/v3/checks/"+url.PathEscape(cmp.Or(c.UUID, lastOf(c.PingURL, 1), c.UniqueKey))+"/flips/", nil, &answer); err != nil {
		if remote.IsMissing(err) {
			err = nil
		}
		return p, err
	}
	var flips []flip
	var wrapped struct {
		Flips []flip `json:"flips"`
	}
	if json.Unmarshal(answer, &flips) != nil && json.Unmarshal(answer, &wrapped) == nil {
		flips = wrapped.Flips
	}
	slices.SortStableFunc(flips, func(a, b flip) int { return a.At.Compare(b.At) })
	var down time.Time
	for _, f := range flips {
		switch {
		case f.At.Year() < 2000:
		case f.Up == 0 && down.IsZero():
			down = f.At.UTC()
		case f.Up != 0 && !down.IsZero():
			p.Outages, down = append(p.Outages, move.Outage{Down: down, Up: f.At.UTC()}), time.Time{}
		}
		if p.Since.IsZero() && f.At.Year() >= 2000 {
			p.Since = f.At.UTC()
		}
	}
	if p.Last = c.LastPing.UTC(); p.Last.Before(p.Since) {
		p.Last = p.Since
	}
	return p, nil
}

// channels names where notifications went.
func channels(ctx context.Context, server *remote.Server, m *move.Monitoring) error {
	var list struct {
		Channels []struct {
			Name string `json:"name"`
			Kind string `json:"kind"`
		} `json:"channels"`
	}
	if _, err := server.JSON(ctx, "channels", "/api/v3/channels/", nil, &list); err != nil {
		if remote.IsMissing(err) {
			return nil
		}
		return err
	}
	for _, c := range list.Channels[:min(len(list.Channels), most)] {
		m.Leave("channels", cmp.Or(c.Name, c.Kind)+" ("+c.Kind+")", "The API does not show its address.", move.ChannelsPage)
	}
	return nil
}
