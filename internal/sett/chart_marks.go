package sett

import (
	"cmp"
	"time"
)

// ChartMarks is what charts show beside counts: what people put into an environment, and when something was down.
type ChartMarks struct {
	Deploys []Deploy   // the newest first, as all that follow
	Outages []DownSpan // of sites
	Misses  []DownSpan // of check-ins
}

// MostChartMarks is how many marks of each kind a chart has at most; the oldest are left out.
const MostChartMarks = 500

// DownSpan is a time in which a site was down or a check-in missing.
type DownSpan struct {
	ProjectID int64
	SubjectID string // the id of the site or the check-in
	Name      string
	From      time.Time
	To        time.Time // zero: it lasts
	Reason    string    // of an outage
}

// Newer compares two spans so that the one that began last comes first.
func (s DownSpan) Newer(o DownSpan) int {
	return cmp.Or(o.From.Compare(s.From), cmp.Compare(s.SubjectID, o.SubjectID))
}

// MissSpans returns the times in which a check-in was missing, of which any lies between two times, the oldest first.
// Turns are in the order in which they happened.
func MissSpans(turns []CheckInTurn, from, to time.Time) (spans []DownSpan) {
	missing := false
	for _, t := range inOrder(turns) {
		switch {
		case !missing && t.State == CheckInMissing:
			spans = append(spans, DownSpan{From: t.At})
		case missing && t.State != CheckInMissing:
			spans[len(spans)-1].To = t.At
		}
		missing = t.State == CheckInMissing
	}
	within := spans[:0]
	for _, s := range spans {
		if s.From.Before(to) && (s.To.IsZero() || s.To.After(from)) {
			within = append(within, s)
		}
	}
	return within
}
