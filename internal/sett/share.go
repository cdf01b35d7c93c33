package sett

import "time"

// Share is a public link to something of a project. Its token is not in it: only the hash is kept.
type Share struct {
	MadeBy    *Person // nil when they are gone
	CreatedAt time.Time
	Disabled  bool // the project forbids public links, so that it shows nothing
}

// shareTokenLength is how many letters and digits a link's token has: 256 bits.
const shareTokenLength = 43

// NewShareToken returns the secret part of a public link.
func NewShareToken() string { return RandomString(shareTokenLength) }

// ErrSharingDisabled says that a project forbids public links.
func ErrSharingDisabled() error {
	return Errorf(Forbidden, "This project does not allow public links. An admin can allow them in the project settings (disable_public_links).")
}
