package scrub

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sett/internal/event/payload"
	"sett/internal/sett"
)

// Erasure deletes what a project has about one affected user. Of the user it keeps a masked text only.
type Erasure struct {
	ID        int64
	ProjectID int64
	User      string       // masked; see MaskedUser
	MadeBy    *sett.Person // nil: an operator, or a user who is gone

	Notices int64 // deleted so far
	Faults  int64 // that these belong to
	Left    int64 // found and not deleted yet
	Events  int64 // structured events that were deleted

	CreatedAt  time.Time
	DeletedAt  time.Time // zero while notices are left
	FinishedAt time.Time // zero while blocks still contain deleted notices
}

// ErasureState is how far an erasure is.
type ErasureState string

// The states of an erasure.
const (
	ErasureRunning  ErasureState = "running"  // some notices can still be read
	ErasureDeleted  ErasureState = "deleted"  // nothing can be read any more
	ErasureFinished ErasureState = "finished" // and nothing is stored
)

// ErasureStates lists all of them, in their order.
var ErasureStates = []ErasureState{ErasureRunning, ErasureDeleted, ErasureFinished}

// State returns how far the erasure is.
func (e Erasure) State() ErasureState {
	switch {
	case e.DeletedAt.IsZero():
		return ErasureRunning
	case e.FinishedAt.IsZero():
		return ErasureDeleted
	}
	return ErasureFinished
}

// ErasureChange is the body that creates an erasure.
type ErasureChange struct {
	User sett.Optional[string] `json:"user,omitzero" doc:"ID, email address or name of the affected user, as it was reported; case does not matter. An email address is found in all values of a notice that searches compare, other texts only in the fields that name its user." range:"1,256" null:"no" example:"ines@example.org"`
}

// Text returns the text that names the user, or an Invalid error.
func (c ErasureChange) Text() (text string, err error) {
	var p sett.Problems
	sett.CheckSent(&p, "user", c.User, "the ID, email address or name of a user")
	if c.User.Sent {
		switch text = payload.UserText(c.User.Value); {
		case text == "":
			p.Add("user", "can't be blank")
		case len(text) > payload.MaxFacetText: // longer values are cut in the index, where one could stand for another
			p.Add("user", "may be at most %d bytes long", payload.MaxFacetText)
		case !utf8.ValidString(text):
			p.Add("user", "must be UTF-8")
		}
	}
	return text, p.Refusal()
}

// ErasedAnywhere reports whether a text names one person wherever it stands: an email address does. An id such as 7 does not.
func ErasedAnywhere(text string) bool {
	local, host, ok := strings.Cut(text, "@")
	return ok && local != "" && host != "" && !strings.ContainsFunc(text, unicode.IsSpace) && !strings.Contains(host, "@")
}

// ErasedKeys returns the keys of facets under which other texts are looked for, in a project with that field of its users.
func ErasedKeys(userField string) []string {
	keys := append(payload.UserPaths(), "user")
	if userField != "" { // earlier versions stored it under its own name only
		keys = append(keys, payload.UserFields(userField)...)
	}
	return keys
}

// MaskedUser returns what may be kept of the text that names an erased user: its first character, and the host of an email address.
func MaskedUser(text string) string {
	local, host := text, ""
	if at := strings.LastIndexByte(text, '@'); at > 0 {
		local, host = text[:at], text[at:]
	}
	if utf8.RuneCountInString(local) < 2 {
		return "…" + host
	}
	first, _ := utf8.DecodeRuneInString(local)
	return string(first) + "…" + host
}

// ErasurePreview is what an erasure would delete.
type ErasurePreview struct {
	User    string // masked
	Notices int64
	Faults  int64
	Events  int64 // structured events
	More    bool  // there may be more: the search was ended
}
