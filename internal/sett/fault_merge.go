package sett

import (
	"fmt"
	"time"
)

// MostParts is how many fingerprints a fault can have: its own and those of the faults that were merged into it.
const MostParts = 100

// FaultMerge says which fault another is merged into.
type FaultMerge struct {
	IntoID Optional[int64] `json:"into_id" required:"true" doc:"Id of the fault of the same project and environment that stays."`
}

// Validate returns an Invalid error unless the other fault is named.
func (m FaultMerge) Validate() error {
	var p Problems
	CheckSent(&p, "into_id", m.IntoID, "an integer")
	return p.Refusal()
}

// CheckMerge returns an Invalid error when a fault with so many parts cannot be merged into another, which has some too.
func CheckMerge(fault, into Fault, parts, intoParts int) error {
	switch {
	case fault.ID == into.ID:
		return Refuse("into_id", "must be the id of another fault than this one")
	case fault.Environment != into.Environment:
		return Refuse("into_id", "must be the id of a fault of the same environment; this one is of %q, that one of %q", fault.Environment, into.Environment)
	case parts+intoParts > MostParts:
		return Refuse("into_id", "already has %d parts, and cannot have more than %d with the %d of this one", intoParts, MostParts, parts)
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
	MergedAt     time.Time // zero for the fault itself
	MergedBy     *Person   // nil for the fault itself, and when they are gone
}

// Own reports whether the part is the fault's own fingerprint.
func (p FaultPart) Own() bool { return p.MergedAt.IsZero() }

// MergedEntry tells that another fault was merged into this one.
func MergedEntry(id int64, class string) Entry {
	return Entry{MergedEvent, fmt.Sprintf("Fault %d (%s) was merged into this one.", id, class)}
}

// SplitEntry tells that a fault was split off this one.
func SplitEntry(id int64, class string) Entry {
	return Entry{SplitEvent, fmt.Sprintf("Fault %d (%s) was split off again.", id, class)}
}

// SplitOffEntry tells that this fault was split off another.
func SplitOffEntry(from int64) Entry {
	return Entry{SplitEvent, fmt.Sprintf("Split off fault %d, into which it was merged.", from)}
}

// MergedError says that a fault cannot be read or changed because it was merged into another.
func MergedError(id, into int64) error {
	return Errorf(NotFound, "Fault %d was merged into fault %d: give that id, or split this one off again.", id, into)
}
