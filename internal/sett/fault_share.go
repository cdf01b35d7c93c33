package sett

import "time"

// FaultShare is a link under which everybody can read a fault. Its token is not in it: only the hash is kept.
type FaultShare struct {
	FaultID   int64
	MadeBy    *Person // nil when they are gone
	CreatedAt time.Time
	Disabled  bool // the project forbids public links, so that it shows nothing
}

// shareTokenLength is how many letters and digits a link's token has: 256 bits.
const shareTokenLength = 43

// NewShareToken returns the secret part of a link.
func NewShareToken() string { return RandomString(shareTokenLength) }

// ErrSharingDisabled says that a project forbids public links.
func ErrSharingDisabled() error {
	return Errorf(Forbidden, "This project does not allow public links. An admin of it can allow them in its settings (disable_public_links).")
}
