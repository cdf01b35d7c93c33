package sett

import "time"

// ChartMarks is what charts show beside counts: what people put into an environment, and when something was down.
type ChartMarks struct {
	Deploys []Deploy   // the newest first, as the outages
	Outages []DownSpan // of sites
}

// MostChartMarks is how many marks of each kind a chart has at most; the oldest are left out.
const MostChartMarks = 500

// DownSpan is a time in which a site was down.
type DownSpan struct {
	ProjectID int64
	SubjectID string // the id of the site
	Name      string
	From      time.Time
	To        time.Time // zero: it lasts
	Reason    string
}
