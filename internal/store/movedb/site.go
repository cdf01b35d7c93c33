package movedb

import (
	"context"
	"fmt"
	"math"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/move"
	"sett/internal/store/uptimedb"
)

// Site stores a site of the source. It is pending until sett has checked it.
func (w *Watching) Site(ctx context.Context, site move.Site) (Applied, error) {
	change := siteChange(site).Among(w.Sites)
	apply := func() (checks.SiteSettings, error) { return change.Apply(checks.NewSiteSettings()) }
	a, err := w.apply(ctx, thing{
		kind: move.SiteKind, id: site.ID, record: site,
		check: func() error { _, err := apply(); return err },
		make: func(t Tx) (int64, error) {
			settings, err := apply()
			if err != nil {
				return 0, err
			}
			uptime := t.s.uptime.In(t.Tx)
			_, number, err := uptime.AddSite(ctx, w.Now, w.ProjectID, settings)
			if err != nil || site.Past.Since.IsZero() {
				return number, err
			}
			return number, uptime.AddSitePast(ctx, number, w.past(site.Past))
		},
		change: func(t Tx, projectID int64, id string) error {
			uuid, err := sett.ParseUUID(id)
			if err != nil {
				return err
			}
			return t.s.uptime.In(t.Tx).ChangeSite(ctx, w.Now, projectID, uuid, change)
		},
		read: func(t Tx, projectID, number int64) (current, error) {
			have, ok, err := t.s.uptime.In(t.Tx).SiteNumbered(ctx, projectID, number)
			if !ok {
				return current{}, err
			}
			return current{have.ID.String(), have.SiteSettings}, nil
		},
	})
	if shown := time.Duration(frequency(site.Every)) * time.Minute; a.Outcome == Made && shown != site.Every {
		a.Why = fmt.Sprintf("It was checked every %s, and is checked every %d min.", site.Every, shown/time.Minute)
	}
	return a, err
}

// frequency returns how many minutes pass in sett between two checks of what the source checks so often: as many, or fewer.
func frequency(every time.Duration) int64 {
	all := checks.SiteFrequencies()
	best := all[0]
	for _, n := range all {
		if time.Duration(n)*time.Minute <= every {
			best = n
		}
	}
	return best
}

func siteChange(s move.Site) checks.SiteChange {
	minutes := frequency(s.Every)
	c := checks.SiteChange{
		Name: sett.Some(s.Name), URL: sett.Some(s.URL), Frequency: sett.Some(minutes),
		MatchType: sett.Some(string(s.Match)), Match: sett.Some(s.Text), RequestMethod: sett.Some(s.Method), RequestBody: sett.Some(s.Body),
		ValidateSSL: sett.Some(!s.AnyCertificate), Active: sett.Some(!s.Paused), FollowRedirects: sett.Some(s.FollowRedirects),
	}
	var headers []checks.ProbeHeader
	for _, h := range s.Headers {
		headers = append(headers, checks.ProbeHeader{Key: h.Name, Value: h.Value})
	}
	c.RequestHeaders = sett.Some(headers)
	most := min(checks.MaxProbeTimeout, time.Duration(minutes)*time.Minute/2)
	if timeout := min(s.Timeout, most); timeout >= time.Second {
		c.Timeout = sett.Some(int64(math.Ceil(timeout.Seconds())))
	}
	if c.OutageThreshold = sett.Some(min(s.Failures, mostFailures)); s.Failures <= 0 {
		c.OutageThreshold.Null = true
	}
	return c
}

// mostFailures is the highest threshold of outages that sett has.
const mostFailures = 100

// past is what comes of the past: nothing of the future, and no more than fits into a transaction.
func (w *Watching) past(p move.Past) (past uptimedb.Past) {
	past.Since, past.Last = p.Since.UTC().Truncate(time.Microsecond), p.Last.UTC().Truncate(time.Microsecond)
	if past.Last.After(w.Now) {
		past.Last = w.Now
	}
	if past.Since.After(past.Last) {
		past.Since = past.Last
	}
	outages := p.Outages[max(0, len(p.Outages)-move.MostOutages):]
	end := past.Since
	for _, o := range outages {
		if o.Down.Before(end) || o.Up.Before(o.Down) || o.Up.After(past.Last) {
			continue
		}
		end = o.Up
		past.Outages = append(past.Outages, checks.SiteOutage{DownAt: o.Down.UTC().Truncate(time.Microsecond), UpAt: o.Up.UTC().Truncate(time.Microsecond)})
		past.Reasons = append(past.Reasons, move.Line(o.Reason, move.MostName))
	}
	for _, d := range p.Days[max(0, len(p.Days)-move.MostDays):] {
		if d.Up < 0 || d.Failed < 0 || d.Up+d.Failed == 0 || d.At.After(past.Last) {
			continue
		}
		past.Days = append(past.Days, checks.UptimeDay{Day: d.At.UTC(), Checks: d.Up + d.Failed, Failed: d.Failed, Total: d.Average * time.Duration(d.Up)})
	}
	return past
}
