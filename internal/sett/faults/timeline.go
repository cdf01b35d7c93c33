package faults

import (
	"cmp"
	"slices"
	"time"
)

// TimelineEntry is something that happened in a project, as far as it is kept for good.
type TimelineEntry struct {
	Kind        TimelineKind
	At          time.Time
	ID          int64  // of its kind; with At and Kind, its place in the order
	ProjectID   int64  // 0: of an incident, which may be about several
	SubjectID   string // the id of the fault, deploy, site or check-in; of an incident, that of its status page
	Title       string // the class, revision or name
	Detail      string // the message of a fault, the repository of a deploy, the reason of an outage, the limit of a slow site in milliseconds, the status of an incident
	Environment string
	By          string        // who deployed or resolved; "" when unknown
	Length      time.Duration // of an outage or slow time that is over
}

// TimelineKind says what happened.
type TimelineKind string

// Every kind of entry.
const (
	TimelineNew       TimelineKind = "new"      // a fault was made
	TimelineReopened  TimelineKind = "reopened" // a resolved fault occurred again
	TimelineResolved  TimelineKind = "resolved" // by a person or a deploy
	TimelineDeploy    TimelineKind = "deploy"
	TimelineDown      TimelineKind = "down"      // a site
	TimelineUp        TimelineKind = "up"        // a site that was down
	TimelineSlow      TimelineKind = "slow"      // a site
	TimelineFast      TimelineKind = "fast"      // a site that was slow
	TimelineMissing   TimelineKind = "missing"   // a check-in
	TimelineFailing   TimelineKind = "failing"   // a check-in
	TimelineReporting TimelineKind = "reporting" // a check-in that was missing or failing
	TimelineIncident  TimelineKind = "incident"  // of a status page that shows something of the project
)

// TimelineKinds lists every kind. What happened at the same moment is shown in this order.
var TimelineKinds = []TimelineKind{
	TimelineIncident, TimelineDown, TimelineUp, TimelineSlow, TimelineFast, TimelineMissing, TimelineFailing, TimelineReporting, TimelineDeploy, TimelineReopened, TimelineNew, TimelineResolved,
}

// Rank returns the place of the kind among all, from 0; -1 for what is none.
func (k TimelineKind) Rank() int { return slices.Index(TimelineKinds, k) }

// Before compares two entries so that the newer one comes first.
func (e TimelineEntry) Before(o TimelineEntry) int {
	return cmp.Or(o.At.Compare(e.At), cmp.Compare(e.Kind.Rank(), o.Kind.Rank()), cmp.Compare(o.ID, e.ID))
}
