package fromsentry

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"time"

	"sett/internal/app/movein/remote"
	"sett/internal/sett/move"
)

type noteJSON struct {
	ID   text   `json:"id"`
	Type string `json:"type"`
	User struct {
		Name  string `json:"name"`
		Email string `json:"email"`
	} `json:"user"`
	At   string `json:"dateCreated"`
	Data struct {
		Text string `json:"text"`
	} `json:"data"`
}

// counted is how long ago an issue may have occurred of which there are counts by day.
const counted = 31 * 24 * time.Hour

// rest reads what an issue itself says beside the list: its comments, and how often it occurred on the last days.
func (s *Source) rest(ctx context.Context, f move.Fault, d *move.Detail) error {
	if f.Comments == 0 && s.c.Now().Sub(f.Last) > counted {
		return nil
	}
	var issue struct {
		Activity []noteJSON                   `json:"activity"`
		Stats    map[string][]json.RawMessage `json:"stats"`
	}
	err := s.ofIssue(ctx, "issue", f, "", nil, &issue)
	if err != nil && !remote.IsMissing(err) {
		return err
	}
	d.Counts = move.Counts{Days: countsOf(issue.Stats["30d"]), Hours: countsOf(issue.Stats["24h"])}
	if s.ownSet {
		if err := s.ownCounts(ctx, f, d); err != nil {
			return err
		}
	}
	notes := issue.Activity
	if len(notes) == 0 && f.Comments > 0 { // GlitchTip has them at an address of their own
		err = all(ctx, s.c, "comments", "issues/"+url.PathEscape(f.ID)+"/comments", nil, func(rows []noteJSON) {
			notes = append(notes, rows[:min(len(rows), mostComments-len(notes))]...)
		})
		if err != nil && !remote.IsMissing(err) {
			return err
		}
	}
	d.Comments = commentsOf(notes)
	return nil
}

// ownCounts reads the counts of GlitchTip, which has those of the last 14 days at an address of their own.
func (s *Source) ownCounts(ctx context.Context, f move.Fault, d *move.Detail) error {
	for period, to := range map[string]*[]move.Count{"14d": &d.Counts.Days, "24h": &d.Counts.Hours} {
		if s.noStat {
			return nil
		}
		var rows []struct {
			Stats map[string][]json.RawMessage `json:"stats"`
		}
		_, err := s.c.get(ctx, "stats", s.ofOrg("issues-stats"), url.Values{"groups": {f.ID}, "statsPeriod": {period}}, &rows)
		switch {
		case remote.IsMissing(err) || remote.IsOther(err):
			s.noStat = true
		case err != nil:
			return err
		case len(rows) == 1:
			*to = countsOf(rows[0].Stats[period])
		}
	}
	return nil
}

// commentsOf returns what people wrote, oldest first.
func commentsOf(notes []noteJSON) (comments []move.Comment) {
	for i := len(notes) - 1; i >= 0 && len(comments) < mostComments; i-- {
		n := notes[i]
		body := move.Text(n.Data.Text, move.MostComment)
		if at := timeOf(n.At); (n.Type == "note" || n.Type == "") && body != "" && !at.IsZero() && n.ID != "" {
			comments = append(comments, move.Comment{
				ID: move.Line(string(n.ID), move.MostName), Author: move.Line(cmp.Or(n.User.Name, n.User.Email, "someone"), move.MostName), Email: move.Line(n.User.Email, move.MostName), Body: body, At: at,
			})
		}
	}
	slices.SortStableFunc(comments, func(a, b move.Comment) int { return a.At.Compare(b.At) })
	return comments
}

// mostCounts is how many days or hours an issue has counts of.
const mostCounts = 100

// countsOf reads pairs of a time in seconds and a count.
func countsOf(pairs []json.RawMessage) (counts []move.Count) {
	for _, raw := range pairs[:min(len(pairs), mostCounts)] {
		var pair []float64
		if json.Unmarshal(raw, &pair) == nil && len(pair) >= 2 && pair[0] > 0 && pair[0] < 1e11 && pair[1] >= 1 && pair[1] < 1e15 {
			counts = append(counts, move.Count{At: time.Unix(int64(pair[0]), 0).UTC(), N: int64(pair[1])})
		}
	}
	return counts
}
