package sett

// CheckInState is how a job does (wire.md §7.3).
type CheckInState string

// The states of a check-in.
const (
	CheckInPending   CheckInState = "pending" // nothing is known: before its first ping, and between a pause and the next ping
	CheckInReporting CheckInState = "reporting"
	CheckInMissing   CheckInState = "missing"
	CheckInFailing   CheckInState = "failing" // its newest ping says that the job failed
	CheckInPaused    CheckInState = "paused"
)

// SiteState is what is known of a site.
type SiteState string

// The states of a site (monitoring.md, Verdict).
const (
	SitePending SiteState = "pending" // no verdict yet
	SiteUp      SiteState = "up"
	SiteDown    SiteState = "down"
)
