package sett

// PlaceKind is what a place is.
type PlaceKind string

// The kinds, in the order in which they are listed.
const (
	ProjectPlace    PlaceKind = "Project"
	ErrorPlace      PlaceKind = "Error"
	SitePlace       PlaceKind = "Site"
	CheckInPlace    PlaceKind = "Check-in"
	StatusPagePlace PlaceKind = "Status page"
	PersonPlace     PlaceKind = "Person"
)

// Place is what a user goes to: a project, an error, a site, a check-in, a status page or a person.
type Place struct {
	Kind      PlaceKind
	ID        string
	Name      string
	Detail    string // the message of an error, the email address of a person
	ProjectID int64  // 0: it belongs to no project
	AccountID string // of status pages and people
}
