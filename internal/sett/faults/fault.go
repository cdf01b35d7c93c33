// Package faults has the nouns and rules of errors: faults, notices, comments, deploys, saved searches and the timeline of a project. It
// takes rows, requests and the current time, and returns new states, alerts and problems. It is pure: it reads and stores nothing, so each rule
// is tested without a database and called in a transaction. Who receives an alert is decided in package alerts.
package faults

import (
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
)

// Fault is a group of notices with the same cause, in one environment of a project.
type Fault struct {
	ID          int64
	ProjectID   int64
	Environment string
	Class       string
	Component   string
	Action      string
	Message     string
	Tags        []string
	Grouping    string // JSON of the Grouping that made it
	CreatedAt   time.Time

	FaultState

	Assignee      *sett.Person
	CommentsCount int64
	NoticesCount  int64
	LastNoticeAt  time.Time
	InRange       *int64 // notices that match the query, when it narrows notices
}

// FaultState is what people and recurrences change on a fault.
type FaultState struct {
	Resolved        bool
	Ignored         bool
	ResolveOnDeploy bool
	ResolvedIn      string    // version of a release: earlier ones do not reopen it, see release.Reopens; "" while it is open
	PausedUntil     time.Time // zero when not paused by time
	PausedCount     int64     // paused while the fault has fewer notices than this; 0 when not paused by count
}

// Paused reports whether recurrences of a fault with that many notices stay silent at now.
func (s FaultState) Paused(now time.Time, notices int64) bool {
	return now.Before(s.PausedUntil) || notices < s.PausedCount
}

// Occur says what another occurrence does to the fault: an ignored fault discards it; a resolved one reopens, unless it is resolved in a
// later release.
func (s FaultState) Occur() (next FaultState, outcome accounts.Outcome) {
	if s.Ignored {
		return s, accounts.Ignored
	}
	s.Resolved, s.ResolvedIn = false, ""
	return s, accounts.Stored
}

// Change applies a change that a person asked for (wire.md §1.6); null resets a flag to what a new fault has, false. Resolving or ignoring cancels a pending
// resolve-on-deploy, which cannot be set on a fault that is resolved or ignored.
func (s FaultState) Change(c FaultChange) FaultState {
	if !s.Resolved { // an earlier version of sett, which knows no such releases, may have reopened it
		s.ResolvedIn = ""
	}
	if c.Resolved.Sent {
		s.Resolved = c.Resolved.Value
	}
	if c.Ignored.Sent {
		s.Ignored = c.Ignored.Value
	}
	if c.ResolveOnDeploy.Sent {
		s.ResolveOnDeploy = c.ResolveOnDeploy.Value
	}
	if c.ResolvedIn.Sent {
		s.ResolvedIn = c.ResolvedIn.Value
		s.Resolved = s.Resolved || s.ResolvedIn != ""
	}
	if !s.Resolved {
		s.ResolvedIn = ""
	}
	if s.Resolved || s.Ignored {
		s.ResolveOnDeploy = false
	}
	return s
}

// FaultChange is the body of an update of a fault; only the fields that were sent change, and null resets one to what a
// new fault has.
type FaultChange struct {
	Resolved        sett.Optional[bool]   `json:"resolved,omitzero" doc:"True resolves the fault, false reopens it."`
	ResolvedIn      sett.Optional[string] `json:"resolved_in,omitzero" doc:"Version of a release of the project: resolves the fault in it. Notices of releases named before it do not reopen the fault then. Null: in none."`
	Ignored         sett.Optional[bool]   `json:"ignored,omitzero" doc:"True discards further notices of the fault."`
	AssigneeID      sett.Optional[int64]  `json:"assignee_id,omitzero" doc:"Id of a user who can see the project; null unassigns."`
	ResolveOnDeploy sett.Optional[bool]   `json:"resolve_on_deploy,omitzero" doc:"True resolves the fault on the next deploy to its environment, or on one that names no environment."`
}

// Validate names every field that cannot be applied.
func (c FaultChange) Validate() error {
	var p sett.Problems
	sett.Check(&p, "resolved", c.Resolved)
	CheckResolvedIn(&p, c.ResolvedIn)
	if c.ResolvedIn.Filled() && c.Resolved.Sent && !c.Resolved.Value {
		p.Add("resolved_in", "cannot be sent with resolved false; send resolved true, or leave it out")
	}
	sett.Check(&p, "ignored", c.Ignored)
	sett.Check(&p, "resolve_on_deploy", c.ResolveOnDeploy)
	sett.Check(&p, "assignee_id", c.AssigneeID)
	return p.Refusal()
}

// CheckResolvedIn notes what is wrong with the release in which a fault is to be resolved. Whether there is such a release, the store finds out.
func CheckResolvedIn(p *sett.Problems, version sett.Optional[string]) {
	if sett.Check(p, "resolved_in", version) && version.Blank() && !version.Null {
		p.Add("resolved_in", "must be the version of a release, or null")
	}
}

// LongestPause is how long a pause until users or notices lasts at most.
const LongestPause = 30 * 24 * time.Hour

// Pause is the body of a pause: for a time, for a number of occurrences, or until so many users or notices more; see triage.PauseUntil.
type Pause struct {
	Time  sett.Optional[string] `json:"time,omitzero" doc:"How long to send no notifications of recurrences." enum:"hour,day,week"`
	Count sett.Optional[int64]  `json:"count,omitzero" doc:"The number of recurrences without notifications; instead of time." enum:"10,100,1000" instead:"time"`

	Users   sett.Optional[int64]  `json:"users,omitzero" doc:"Until so many more users are affected, 1 to 1,000, and for 30 days at most; instead of time." instead:"time"`
	Notices sett.Optional[int64]  `json:"notices,omitzero" doc:"Until it has so many notices within the period per, 1 to 10,000, and for 30 days at most; instead of time." instead:"time"`
	Per     sett.Optional[string] `json:"per,omitzero" doc:"The period of notices." enum:"hour,day" with:"notices"`
}

// Conditional reports whether the pause ends with users or notices.
func (p Pause) Conditional() bool { return p.Users.Filled() || p.Notices.Filled() || p.Per.Filled() }

// Apply returns the state of a fault that has that many notices, paused as p says; a new pause replaces the old one.
func (p Pause) Apply(s FaultState, now time.Time, notices int64) (FaultState, error) {
	spans := map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour}
	s.PausedUntil, s.PausedCount = time.Time{}, 0
	span, timed := spans[p.Time.Value]
	counted := slices.Contains([]int64{10, 100, 1000}, p.Count.Value)
	switch byTime, byCount := p.Time.Filled(), p.Count.Filled(); {
	case p.Conditional() && !byTime && !byCount:
		s.PausedUntil = now.Add(LongestPause)
	case p.Conditional():
		return s, errPause()
	case byTime && !byCount && timed:
		s.PausedUntil = now.Add(span)
	case byCount && !byTime && counted:
		s.PausedCount = notices + p.Count.Value
	default:
		return s, errPause()
	}
	return s, nil
}

func errPause() error {
	return sett.Errorf(sett.Invalid, `Send either {"time": "hour"}, "day" or "week", or {"count": 10}, 100 or 1000, or {"users": 100}, or {"notices": 100, "per": "hour"} or "day".`)
}

// MergeTags returns the tags of a fault after a notice with more tags, and whether that changed them. Order is kept;
// a fault keeps at most MostFaultTags.
func MergeTags(have, more []string) (tags []string, changed bool) {
	for _, t := range more {
		if len(have) < MostFaultTags && !slices.Contains(have, t) {
			have, changed = append(have[:len(have):len(have)], t), true
		}
	}
	return have, changed
}

// JoinLines packs texts into one that a store can search: each on a line of its own, between newlines.
func JoinLines(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return "\n" + strings.Join(texts, "\n") + "\n"
}

// SplitLines is the inverse of JoinLines; it never returns nil.
func SplitLines(s string) []string {
	if s = strings.Trim(s, "\n"); s == "" {
		return []string{}
	}
	return strings.Split(s, "\n")
}

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
func (t FaultTab) Query() string {
	switch t {
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

// PauseEnd is what ends the silence of a fault that was paused: the first notice beyond it sends a notification. The
// zero value waits for none.
type PauseEnd struct {
	Count int64     // the last notice that stays silent, as a number of notices; 0 when not paused by count
	At    time.Time // when notices are not silent any more; zero when not paused by time
}

// Passed reports whether a notice is waited for and the one at that time, which is the fault's after-th, is beyond the end.
func (e PauseEnd) Passed(after int64, at time.Time) bool {
	return e != PauseEnd{} && after > e.Count && !at.Before(e.At)
}

// EndOfPause returns what ends the silence of a fault once a person has made it next; ok is false when that is what it was.
// Who ends a pause wants to hear of the next notice. A pause that is over still waits for it, whatever people do.
func (s FaultState) EndOfPause(next FaultState, now time.Time, notices int64) (end PauseEnd, ok bool) {
	switch {
	case s.PausedUntil.Equal(next.PausedUntil) && s.PausedCount == next.PausedCount:
		return PauseEnd{}, false
	case next.PausedCount > 0 || !next.PausedUntil.IsZero():
		return PauseEnd{next.PausedCount, next.PausedUntil}, true
	}
	return PauseEnd{At: now}, s.Paused(now, notices)
}

// FaultShare is a link under which everybody can read a fault. Its token is not in it: only the hash is kept.
type FaultShare struct {
	FaultID   int64
	MadeBy    *sett.Person // nil when they are gone
	CreatedAt time.Time
	Disabled  bool // the project forbids public links, so that it shows nothing
}

// CheckIssue returns the Invalid error of asking an integration of a kind for what an event of AlertIssueCreate, AlertIssueClose and
// AlertIssueReopen stands for, or nil. linked says whether the fault is linked with an issue there, and asked whether the
// integration is at making one.
func CheckIssue(event alerts.AlertEvent, kind alerts.IntegrationKind, linked, asked bool) error {
	creates := event == alerts.AlertIssueCreate
	switch {
	case kind.LinkOnly:
		return sett.Refuse("channel_id", "must be the id of a tracker in which sett can create issues; with %s, faults can only be linked", kind.Type)
	case !kind.Tracker:
		return sett.Refuse("channel_id", "must be the id of an integration that is an issue tracker")
	case creates && linked:
		return sett.Errorf(sett.Invalid, "This fault is already linked with an issue of this tracker. Unlink it to create another one.")
	case creates && asked:
		return sett.Errorf(sett.Invalid, "This tracker was already asked for an issue of this fault, and has not answered yet. See the deliveries of the integration.")
	case !creates && !linked:
		return sett.Errorf(sett.Invalid, "This fault is not linked with an issue of this tracker. Create one, or link one.")
	}
	return nil
}

// UndoFor is how long a bulk change of faults can be undone.
const UndoFor = 10 * time.Minute

// CheckUndo returns an error unless what was done at a time can be taken back: resolving or ignoring, a short while ago.
func CheckUndo(event CommentEvent, at, now time.Time) error {
	switch {
	case event != ResolvedEvent && event != IgnoredEvent && event != MergedEvent:
		return sett.Refuse("what", "must be resolved, ignored or merged: nothing else can be undone")
	case event == MergedEvent && now.Sub(at) > UndoFor:
		return sett.Errorf(sett.Conflict, "This was too long ago to be undone in one step. Split the errors off on the page of the error that they were merged into.")
	case now.Sub(at) > UndoFor:
		return sett.Errorf(sett.Conflict, "This was too long ago to be undone in one step. Find the errors in the tab Resolved or Ignored, and reopen them there.")
	}
	return nil
}

// Undo returns the state that a fault had before it was resolved or ignored; pending says that the next deploy was to
// resolve it then.
func (s FaultState) Undo(event CommentEvent, pending bool) FaultState {
	switch event {
	case ResolvedEvent:
		s.Resolved, s.ResolvedIn = false, ""
	case IgnoredEvent:
		s.Ignored = false
	}
	s.ResolveOnDeploy = s.ResolveOnDeploy || pending && !s.Resolved && !s.Ignored
	return s
}
