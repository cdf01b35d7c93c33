// Package move has the records in which projects of another error tracker or monitor move in, whatever that is. A source
// makes them of what its API says, an applier stores them; so neither knows the other. It also has the rules that all
// sources share: how long a text may be, which addresses become links, and the report of what came and what did not.
// The package is pure: it asks no one and stores nothing.
package move

import "time"

// Place is where something is from. All that is imported is known by its place and its id there, so that a second run adds nothing twice.
type Place struct {
	Source string // the product, such as "sentry"
	Host   string // of the server, with the port if it is not the usual one
}

// In returns the place as one account knows it: what accounts of one server bring from the same place are different things.
func (p Place) In(accountID string) Place {
	p.Source += " in " + accountID
	return p
}

// Project is a project of the source.
type Project struct {
	ID, Slug, Name string
	Language       string // as sett calls it; "" if it is not known
	Keys           []Key
	Environments   []string
}

// Key is a key with which clients report to a project. sett accepts it too, so that clients need nothing but another host.
type Key struct {
	Public, Label string
	Active        bool
}

// State is what people decided about an error.
type State string

// The states.
const (
	Open     State = "open"
	Resolved State = "resolved"
	Ignored  State = "ignored"
)

// Fault is an error of the source.
type Fault struct {
	ID, Short, Link string // Short is what people call it, such as SHOP-1A
	Class, Message  string
	Component       string
	State           State
	OnDeploy        bool // it is to be resolved with the next release
	First, Last     time.Time
	Count           int64
	Assignee        string // email address; "" for none
	Comments        int64

	Action      string   `json:",omitempty"`
	Environment string   `json:",omitempty"` // "" if the source has errors of several environments
	Tags        []string `json:",omitempty"`
	Linked      []Linked `json:",omitempty"` // what trackers have of it
}

// Linked is an item of a tracker.
type Linked struct{ Name, Link string }

// Page is a page of the errors of a project.
type Page struct {
	Faults []Fault
	Next   string // cursor of the next page; "" for none
	Total  int64  // in all pages; 0 if it is not known
}

// Detail is what is read of an error beside the list.
type Detail struct {
	Environments []string // in which it occurred
	Events       []Event  // one of each of its shapes, and the newest; newest first
	Comments     []Comment
	Counts       Counts
	Left         []Left
}

// Event is one occurrence, as a client sent it, or as near to that as the source kept it.
type Event struct {
	ID          string // the client's own, 32 hexadecimal digits
	At          time.Time
	Environment string
	Protocol    Protocol
	Body        []byte // JSON of this protocol
	Shape       bool   // it stands for a shape of its error, by which other events are known
	Partial     bool   // the source does not show all that it said, such as its causes
	KeyOnly     bool   // it is not stored: newer ones of its error are enough
}

// Protocol is what the body of an event is written in.
type Protocol string

// The protocols.
const (
	SentryEvent Protocol = ""
	Notice      Protocol = "notice" // of the contract
)

// Comment is what someone wrote about an error.
type Comment struct {
	ID, Author, Email, Body string
	At                      time.Time
}

// Release is a version of a program.
type Release struct {
	Version, Ref, URL string
	Created, Released time.Time // Released is zero if no one said so
	HasCommits        int64     // as its list says
	HasDeploys        int64
	Commits           []Commit `json:"-"` // newest first; these and deploys are not in the list
	Deploys           []Deploy `json:"-"`
}

// Commit is a commit of a release.
type Commit struct {
	SHA, Message, Author, Email string
	At                          time.Time
}

// Deploy is when a release went live.
type Deploy struct {
	ID, Environment, Revision, Repository, By string
	At                                        time.Time
}

// ReleasePage is a page of the releases of a project, or of its deploys alone, newest first.
type ReleasePage struct {
	Releases []Release // without commits and deploys
	Deploys  []Deploy  // if the source has no releases
	Next     string    // cursor of the next page; "" for none
}

// CheckIn is a job that the source watches.
type CheckIn struct {
	ID, Project, Name, Slug string
	Cron, Zone              string        // Cron is "" for one that reports at an interval
	Every, Grace            time.Duration // Every is 0 for one with Cron
	Aliases                 []string      // what its job asks for: paths of addresses by which it goes on to report
	Paused                  bool

	Past Past `json:"-"`
}

// Team connects members to projects.
type Team struct {
	ID, Name string
	Projects []string // ids of those that come
}

// Member is someone who works at the source.
type Member struct {
	Email, Name string
	Role        string   // owner, manager, admin, billing or member
	Teams       []string // ids
}
