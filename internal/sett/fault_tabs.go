package sett

import "time"

// FaultTabs is how many faults of a project each tab above their list has.
type FaultTabs struct {
	Unresolved int64
	New        int64 // since NewSince
	Mine       int64
	Resolved   int64
	Ignored    int64

	Deployed time.Time // of the last deploy; zero: nothing was deployed
	NewSince time.Time // Deployed, or a day ago where that is zero
}

// FaultTab names one of the tabs above a list of faults.
type FaultTab string

// The tabs, in the order in which they are shown. Those that are not Resolved or Ignored have open faults only.
const (
	UnresolvedTab FaultTab = "unresolved"
	NewTab        FaultTab = "new"
	MineTab       FaultTab = "mine"
	ResolvedTab   FaultTab = "resolved"
	IgnoredTab    FaultTab = "ignored"
)

// FaultTabOrder lists every tab.
var FaultTabOrder = []FaultTab{UnresolvedTab, NewTab, MineTab, ResolvedTab, IgnoredTab}

const openFaults = "-is:resolved -is:ignored"

// Query returns the search that a tab stands for.
func (t FaultTabs) Query(tab FaultTab) string {
	switch tab {
	case NewTab:
		return openFaults + " created.after:" + t.NewSince.UTC().Format(time.RFC3339Nano)
	case MineTab:
		return openFaults + " assignee:me"
	case ResolvedTab:
		return "is:resolved"
	case IgnoredTab:
		return "is:ignored"
	}
	return openFaults
}

// Count returns how many faults a tab has.
func (t FaultTabs) Count(tab FaultTab) int64 {
	return map[FaultTab]int64{
		UnresolvedTab: t.Unresolved, NewTab: t.New, MineTab: t.Mine, ResolvedTab: t.Resolved, IgnoredTab: t.Ignored,
	}[tab]
}

// NewSince returns since when faults count as new: since the last deploy or, where nothing was deployed, for a day.
func NewSince(deployed, now time.Time) time.Time {
	if deployed.IsZero() {
		return now.Add(-24 * time.Hour)
	}
	return deployed
}
