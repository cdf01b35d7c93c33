package frombugsink

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"sett/internal/app/movein/remote"
	"sett/internal/sett/move"
)

// The most that is read of one error.
const (
	mostComments     = 500
	mostEnvironments = 20
	countedDays      = 30 // the server knows 90
)

// Detail reads what the list does not say of an error: its newest events and one of each shape that is found, its
// environments, comments and counts. What a server does not show is left.
func (s *Source) Detail(ctx context.Context, _ move.Project, f move.Fault, newest int) (d move.Detail, err error) {
	if err := s.events(ctx, f, newest, &d); err != nil {
		return d, err
	}
	if err := s.environments(ctx, f, &d); err != nil {
		return d, err
	}
	if err := s.comments(ctx, f, &d); err != nil {
		return d, err
	}
	return d, s.counts(ctx, f, &d)
}

// environments reads where an error occurred. Before version 2.6.2, the events that came say it.
func (s *Source) environments(ctx context.Context, f move.Fault, d *move.Detail) error {
	add := func(name string) {
		if name = move.Line(name, move.MostName); name != "" && len(d.Environments) < mostEnvironments && !slices.Contains(d.Environments, name) {
			d.Environments = append(d.Environments, name)
		}
	}
	err := all(ctx, s, "issues/"+f.ID+"/tags", url.Values{"key": {"environment"}}, func(rows []struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	},
	) {
		for _, t := range rows {
			if t.Key == "environment" {
				add(t.Value)
			}
		}
	})
	if err != nil && !remote.IsMissing(err) {
		return err
	}
	for _, e := range d.Events {
		add(e.Environment)
	}
	return nil
}

// comments reads what people wrote, oldest first.
func (s *Source) comments(ctx context.Context, f move.Fault, d *move.Detail) error {
	err := all(ctx, s, "issue-history", url.Values{"issue": {f.ID}, "order": {"asc"}}, func(rows []struct {
		ID      int64  `json:"id"`
		Kind    string `json:"kind"`
		At      string `json:"timestamp"`
		Author  string `json:"user_display_name"`
		Comment string `json:"comment"`
	},
	) {
		for _, r := range rows {
			body, at := move.Text(r.Comment, move.MostComment), timeOf(r.At)
			if strings.TrimSpace(body) == "" || at.IsZero() || r.ID <= 0 || len(d.Comments) >= mostComments {
				continue
			}
			c := move.Comment{ID: idText(r.ID), Author: move.Line(cmp.Or(r.Author, "someone"), move.MostName), Body: body, At: at}
			if strings.Contains(c.Author, "@") { // people are called by their address, unless they have entered a name
				c.Email = c.Author
			}
			d.Comments = append(d.Comments, c)
		}
	})
	if remote.IsMissing(err) {
		d.Left = append(d.Left, move.Left{Noun: "comments", Why: "The server or the token does not show the history of errors: version 2.6.2 does.", Page: "the error"})
		return nil
	}
	return err
}

// counts reads how often an error occurred by the hour, and sums it up by the day.
func (s *Source) counts(ctx context.Context, f move.Fault, d *move.Detail) error {
	end := s.Now().UTC().Truncate(time.Hour).Add(time.Hour)
	start := end.AddDate(0, 0, -countedDays)
	if f.Last.Before(start) {
		return nil
	}
	var said struct {
		Buckets []struct {
			At string `json:"timestamp"`
			N  int64  `json:"count"`
		} `json:"buckets"`
	}
	err := s.get(ctx, "issues/"+f.ID+"/event-counts", url.Values{"start": {start.Format(time.RFC3339)}, "end": {end.Format(time.RFC3339)}}, &said)
	if remote.IsMissing(err) {
		d.Left = append(d.Left, move.Left{Noun: "counts by day", Why: "The server or the token does not show them: version 2.6.2 does. Errors come with their count alone."})
		return nil
	}
	if err != nil {
		return err
	}
	for _, b := range said.Buckets[:min(len(said.Buckets), 24*(countedDays+1))] {
		at := timeOf(b.At)
		if b.N <= 0 || b.N > 1<<40 || at.IsZero() {
			continue
		}
		if !at.Before(end.Add(-24 * time.Hour)) {
			d.Counts.Hours = append(d.Counts.Hours, move.Count{At: at, N: b.N})
		}
		day := at.Truncate(24 * time.Hour)
		if i := slices.IndexFunc(d.Counts.Days, func(c move.Count) bool { return c.At.Equal(day) }); i >= 0 {
			d.Counts.Days[i].N += b.N
		} else {
			d.Counts.Days = append(d.Counts.Days, move.Count{At: day, N: b.N})
		}
	}
	return nil
}
