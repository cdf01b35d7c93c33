package sett

// StatusChoice is a site or check-in that a status page of its account can show. One of SiteID and CheckInID is set.
type StatusChoice struct {
	Project   string
	Name      string // its own
	SiteID    UUID
	CheckInID string
}

// IsSite reports whether it is a site, and not a check-in.
func (c StatusChoice) IsSite() bool { return !c.SiteID.IsZero() }
