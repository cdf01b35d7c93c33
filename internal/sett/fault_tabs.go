package sett

import "time"

// FaultTabs is how many faults of a project each tab above their list has.
type FaultTabs struct {
	Unresolved int64
	New        int64 // see NewFaults
	Mine       int64
	Resolved   int64
	Ignored    int64

	Deployed time.Time // of the last deploy that makes faults new; zero: those of a day are
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
		return openFaults + " is:new"
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
