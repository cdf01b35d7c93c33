package sett

import (
	"slices"
	"strings"
	"time"
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

	Assignee      *Person
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
	PausedUntil     time.Time // zero when not paused by time
	PausedCount     int64     // paused while the fault has fewer notices than this; 0 when not paused by count
}

// Person is a user as the interface shows one beside other things.
type Person struct {
	ID    int64  `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
}

// Called returns what a person is called: those who have no name, by their address; "" for nobody.
func (p *Person) Called() string {
	switch {
	case p == nil:
		return ""
	case p.Name == "":
		return p.Email
	}
	return p.Name
}

// Paused reports whether recurrences of a fault with that many notices stay silent at now.
func (s FaultState) Paused(now time.Time, notices int64) bool {
	return now.Before(s.PausedUntil) || notices < s.PausedCount
}

// Occur says what another occurrence does to the fault: an ignored fault discards it; a resolved one reopens.
func (s FaultState) Occur() (next FaultState, outcome Outcome) {
	if s.Ignored {
		return s, Ignored
	}
	s.Resolved = false
	return s, Stored
}

// Change applies a change that a person asked for (wire.md §1.6); null resets a flag to what a new fault has, false. Resolving or ignoring cancels a pending
// resolve-on-deploy, which cannot be set on a fault that is resolved or ignored.
func (s FaultState) Change(c FaultChange) FaultState {
	if c.Resolved.Sent {
		s.Resolved = c.Resolved.Value
	}
	if c.Ignored.Sent {
		s.Ignored = c.Ignored.Value
	}
	if c.ResolveOnDeploy.Sent {
		s.ResolveOnDeploy = c.ResolveOnDeploy.Value
	}
	if s.Resolved || s.Ignored {
		s.ResolveOnDeploy = false
	}
	return s
}

// FaultChange is the body of an update of a fault; only the fields that were sent change, and null resets one to what a
// new fault has.
type FaultChange struct {
	Resolved        Optional[bool]  `json:"resolved,omitzero" doc:"True resolves the fault, false reopens it."`
	Ignored         Optional[bool]  `json:"ignored,omitzero" doc:"True discards further notices of the fault."`
	AssigneeID      Optional[int64] `json:"assignee_id,omitzero" doc:"Id of a user who can see the project; null unassigns."`
	ResolveOnDeploy Optional[bool]  `json:"resolve_on_deploy,omitzero" doc:"True resolves the fault on the next deploy."`
}

// Validate names every field that cannot be applied.
func (c FaultChange) Validate() error {
	var p Problems
	Check(&p, "resolved", c.Resolved)
	Check(&p, "ignored", c.Ignored)
	Check(&p, "resolve_on_deploy", c.ResolveOnDeploy)
	Check(&p, "assignee_id", c.AssigneeID)
	return p.Refusal()
}

// Pause is the body of a pause: for a time or for a number of occurrences.
type Pause struct {
	Time  Optional[string] `json:"time,omitzero" doc:"How long to send no notifications of recurrences." enum:"hour,day,week"`
	Count Optional[int64]  `json:"count,omitzero" doc:"The number of recurrences without notifications; instead of time." enum:"10,100,1000" instead:"time"`
}

// Apply returns the state of a fault that has that many notices, paused as p says; a new pause replaces the old one.
func (p Pause) Apply(s FaultState, now time.Time, notices int64) (FaultState, error) {
	spans := map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour}
	s.PausedUntil, s.PausedCount = time.Time{}, 0
	span, timed := spans[p.Time.Value]
	counted := slices.Contains([]int64{10, 100, 1000}, p.Count.Value)
	switch byTime, byCount := p.Time.Sent && !p.Time.Null, p.Count.Sent && !p.Count.Null; {
	case byTime && !byCount && timed:
		s.PausedUntil = now.Add(span)
	case byCount && !byTime && counted:
		s.PausedCount = notices + p.Count.Value
	default:
		return s, Errorf(Invalid, `Send either {"time": "hour"}, "day" or "week", or {"count": 10}, 100 or 1000.`)
	}
	return s, nil
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
