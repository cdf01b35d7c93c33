// Package triage holds what users do with many faults or the causes of one: bulk changes, merges, links to issues, what the latest notices
// have in common, and why a fault asks for attention. From faults and their facets it derives new states, entries of the discussion and
// errors. It searches nothing, stores nothing and calls no issue tracker.
package triage

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/faults"
)

// BulkAction is what is done to many faults at once.
type BulkAction string

// Every action of a bulk change.
const (
	BulkResolve   BulkAction = "resolve"
	BulkUnresolve BulkAction = "unresolve"
	BulkIgnore    BulkAction = "ignore"
	BulkUnignore  BulkAction = "unignore"
	BulkAssign    BulkAction = "assign"
	BulkPause     BulkAction = "pause"
	BulkUnpause   BulkAction = "unpause"
	BulkTag       BulkAction = "tag"
	BulkUntag     BulkAction = "untag"
	BulkDelete    BulkAction = "delete"
)

var bulkActions = []BulkAction{BulkResolve, BulkUnresolve, BulkIgnore, BulkUnignore, BulkAssign, BulkPause, BulkUnpause, BulkTag, BulkUntag, BulkDelete}

// MostBulkFaults is how many faults one bulk change can name.
const MostBulkFaults = 1000

// BulkChange is what is done to many faults at once.
type BulkChange struct {
	FaultIDs   sett.Optional[[]int64]      `json:"fault_ids,omitzero" doc:"Ids of the faults, at most 1,000; instead of q in the query. Unknown ids are skipped."`
	Action     sett.Optional[string]       `json:"action" required:"true" enum:"resolve,unresolve,ignore,unignore,assign,pause,unpause,tag,untag,delete"`
	ResolvedIn sett.Optional[string]       `json:"resolved_in,omitzero" doc:"For resolve: version of the release in which they are resolved. Notices of releases named before it do not reopen them."`
	AssigneeID sett.Optional[int64]        `json:"assignee_id,omitzero" doc:"For assign: id of a user who can see the project; null unassigns."`
	Pause      sett.Optional[faults.Pause] `json:"pause,omitzero" doc:"For pause: how long, as for a single fault."`
	Tags       sett.Optional[[]string]     `json:"tags,omitzero" doc:"For tag and untag: the tags. Notices add theirs again when the fault occurs."`
}

// Validate names every field that cannot be applied.
func (c BulkChange) Validate(now time.Time) error {
	var p sett.Problems
	sett.Check(&p, "fault_ids", c.FaultIDs)
	if len(c.FaultIDs.Value) > MostBulkFaults {
		p.Add("fault_ids", "may have at most %d ids; send the others in another request", MostBulkFaults)
	}
	sett.CheckSent(&p, "action", c.Action, "an action such as resolve")
	if sett.Check(&p, "action", c.Action) && !slices.Contains(bulkActions, BulkAction(c.Action.Value)) {
		p.Add("action", "must be one of resolve, unresolve, ignore, unignore, assign, pause, unpause, tag, untag and delete")
	}
	faults.CheckResolvedIn(&p, c.ResolvedIn)
	if c.ResolvedIn.Filled() && BulkAction(c.Action.Value) != BulkResolve {
		p.Add("resolved_in", "can only be sent with the action resolve")
	}
	sett.Check(&p, "assignee_id", c.AssigneeID)
	sett.Check(&p, "pause", c.Pause)
	if c.Pause.Value.Conditional() {
		p.Add("pause", "must have time or count; pause one fault at a time until users or notices")
	}
	if BulkAction(c.Action.Value) == BulkAssign && !c.AssigneeID.Sent {
		p.Add("assignee_id", "must be the id of a user, or null")
	}
	c.checkTags(&p)
	if err := p.Refusal(); err != nil || BulkAction(c.Action.Value) != BulkPause {
		return err
	}
	_, err := c.Pause.Value.Apply(faults.FaultState{}, now, 0)
	return err
}

// longestTag is how many characters a tag has at most, as those of notices.
const longestTag = 100

func (c BulkChange) checkTags(p *sett.Problems) {
	sett.Check(p, "tags", c.Tags)
	if action := BulkAction(c.Action.Value); c.Tags.Bad != "" || action != BulkTag && action != BulkUntag {
		return
	}
	if n := len(c.Tags.Value); n == 0 || n > payload.MaxTags {
		p.Add("tags", "must name a tag, and at most %d", payload.MaxTags)
		return
	}
	for _, tag := range c.Tags.Value {
		if strings.TrimSpace(tag) != tag || tag == "" || strings.ContainsAny(tag, ",\n\r") || utf8.RuneCountInString(tag) > longestTag {
			p.Add("tags", "must each be a text of 1 to %d characters without commas, line breaks and space around it", longestTag)
			return
		}
	}
}

// ApplyTags returns the tags of a fault after the change, and the entry for its history; a nil entry says that
// nothing has changed.
func (c BulkChange) ApplyTags(have []string) (tags []string, entry *faults.Entry) {
	switch BulkAction(c.Action.Value) {
	case BulkTag:
		tags, changed := faults.MergeTags(have, c.Tags.Value)
		if changed {
			return tags, &faults.Entry{Event: faults.TaggedEvent, Body: "Tagged " + strings.Join(tags[len(have):], ", ") + "."}
		}
	case BulkUntag:
		var gone []string
		for _, tag := range have {
			if slices.Contains(c.Tags.Value, tag) {
				gone = append(gone, tag)
			} else {
				tags = append(tags, tag)
			}
		}
		if len(gone) > 0 {
			return tags, &faults.Entry{Event: faults.UntaggedEvent, Body: "No longer tagged " + strings.Join(gone, ", ") + "."}
		}
	}
	return have, nil
}

// Apply returns the state of a fault that has that many notices after the change.
func (c BulkChange) Apply(s faults.FaultState, now time.Time, notices int64) (faults.FaultState, error) {
	switch BulkAction(c.Action.Value) {
	case BulkResolve:
		if s.Resolved { // in whatever release
			return s, nil
		}
		return s.Change(faults.FaultChange{Resolved: sett.Some(true), ResolvedIn: c.ResolvedIn}), nil
	case BulkUnresolve:
		return s.Change(faults.FaultChange{Resolved: sett.Some(false)}), nil
	case BulkIgnore, BulkUnignore:
		return s.Change(faults.FaultChange{Ignored: sett.Some(BulkAction(c.Action.Value) == BulkIgnore)}), nil
	case BulkPause:
		return c.Pause.Value.Apply(s, now, notices)
	case BulkUnpause:
		if s.Paused(now, notices) {
			s.PausedUntil, s.PausedCount = time.Time{}, 0
		}
	}
	return s, nil
}

// MostParts is how many fingerprints a fault can have: its own and those of the faults that were merged into it.
const MostParts = 100

// FaultMerge says which fault another is merged into.
type FaultMerge struct {
	IntoID sett.Optional[int64] `json:"into_id" required:"true" doc:"Id of the fault of the same project and environment that stays."`
}

// Validate returns an Invalid error unless the other fault is named.
func (m FaultMerge) Validate() error {
	var p sett.Problems
	sett.CheckSent(&p, "into_id", m.IntoID, "an integer")
	return p.Refusal()
}

// CheckMerge returns an Invalid error when a fault with so many parts cannot be merged into another, which has some too.
func CheckMerge(fault, into faults.Fault, parts, intoParts int) error {
	switch {
	case fault.ID == into.ID:
		return sett.Refuse("into_id", "must be the id of another fault than this one")
	case fault.Environment != into.Environment:
		return sett.Refuse("into_id", "must be the id of a fault of the same environment; this one is of %q, that one of %q", fault.Environment, into.Environment)
	case parts+intoParts > MostParts:
		return sett.Refuse("into_id", "already has %d parts, and cannot have more than %d with the %d of this one", intoParts, MostParts, parts)
	}
	return nil
}

// FaultPart is one of the fingerprints that a fault stands for: its own, or that of a fault which was merged into it.
type FaultPart struct {
	ID           int64 // of the fault that it is, or was
	Class        string
	Component    string
	Action       string
	Message      string
	Grouping     string // JSON of the Grouping that made it
	Key          []byte
	NoticesCount int64 // with the fingerprint
	LastNoticeAt time.Time
	MergedAt     time.Time    // zero for the fault itself
	MergedBy     *sett.Person // nil for the fault itself, and when they are gone
	GoneOn       []KeyOfPart  // by which it went on, the earliest first; at most MostKeysOfPart
}

// MostKeysOfPart is how many keys of a part are listed.
const MostKeysOfPart = 100

// KeyOfPart is a key of events that go on with a part of a fault.
type KeyOfPart struct {
	Key      []byte
	Grouping string // JSON
	Why      faults.Why
	At       time.Time // of the first of them
}

// Own reports whether the part is the fault's own fingerprint.
func (p FaultPart) Own() bool { return p.MergedAt.IsZero() }

// MergedEntry records that another fault was merged into this one.
func MergedEntry(id int64, class string) faults.Entry {
	return faults.Entry{Event: faults.MergedEvent, Body: fmt.Sprintf("Error #%d (%s) was merged into this one.", id, class)}
}

// SplitEntry records that a fault was split off this one.
func SplitEntry(id int64, class string) faults.Entry {
	return faults.Entry{Event: faults.SplitEvent, Body: fmt.Sprintf("Error #%d (%s) was split off again.", id, class)}
}

// SplitOffEntry records that this fault was split off another.
func SplitOffEntry(from int64) faults.Entry {
	return faults.Entry{Event: faults.SplitEvent, Body: fmt.Sprintf("Split off error #%d, into which it was merged.", from)}
}

// SeparatedEntry records that an error of its own was made of some events that went on with this one.
func SeparatedEntry(id int64) faults.Entry {
	return faults.Entry{Event: faults.SplitEvent, Body: fmt.Sprintf("Error #%d was created for some of these events. Later ones go there.", id)}
}

// SeparatedOffEntry records that this fault was made of events that went on with another.
func SeparatedOffEntry(from int64) faults.Entry {
	return faults.Entry{Event: faults.SplitEvent, Body: fmt.Sprintf("Created for some events of error #%d. Earlier ones are still there.", from)}
}

// MergedError says that a fault cannot be read or changed because it was merged into another.
func MergedError(id, into int64) error {
	return sett.Errorf(sett.NotFound, "Fault %d was merged into fault %d: give that id, or split this one off again.", id, into)
}
