// Package place names what users go to: projects, errors, sites, check-ins, status pages and people. In come those that the store finds for a
// user; out come the same, for pages that make links of them, in the order of their kinds. The package knows no addresses, reads nothing,
// and never decides what a user may see.
package place

// Kind is what a place is.
type Kind string

// The kinds, in the order in which they are listed.
const (
	Project    Kind = "Project"
	Error      Kind = "Error"
	Site       Kind = "Site"
	CheckIn    Kind = "Check-in"
	StatusPage Kind = "Status page"
	Person     Kind = "Person"
)

// Place is one of them.
type Place struct {
	Kind      Kind
	ID        string
	Name      string
	Detail    string // the message of an error, the email address of a person
	ProjectID int64  // 0: it belongs to no project
	AccountID string // of status pages and people
}
