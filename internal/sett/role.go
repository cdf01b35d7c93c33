package sett

// Role is what a user is in an account.
type Role string

// The roles of the contract, weakest first.
const (
	Member  Role = "Member"
	Billing Role = "Billing"
	Admin   Role = "Admin"
	Owner   Role = "Owner"
)

// Roles lists every role.
var Roles = []Role{Member, Billing, Admin, Owner}

// Permission is something that a route does and that a role may or may not do.
type Permission string

// Every permission that a route can ask for. Where a permission concerns a project, a Member or Billing user has it
// only for the projects of their teams.
const (
	Public        Permission = "public"          // nobody needs to be known
	SignedIn      Permission = "signed_in"       // any user; the answer holds what they can see
	ReadProject   Permission = "read_project"    // see errors, settings and keys of a project
	WorkFaults    Permission = "work_faults"     // resolve, ignore, assign, pause, comment on, delete and link faults
	CreateProject Permission = "create_project"  // add a project to an account
	ManageProject Permission = "manage_project"  // change or delete a project
	ReportWithKey Permission = "report_with_key" // a client with a project's API key
)

// Scope is how far a user's rights reach in the account that something belongs to.
type Scope struct {
	Role      Role
	OfTeam    bool // the project belongs to a team of the user
	TeamAdmin bool // and the user is an admin of such a team
}

// May reports whether a user with the given scope may do what the permission says. This is the one table of who may do
// what (wire.md §9.4).
func (s Scope) May(p Permission) bool {
	all := s.Role == Admin || s.Role == Owner
	switch p {
	case Public, ReportWithKey:
		return true
	case SignedIn:
		return s.Role != ""
	case ReadProject, WorkFaults:
		return all || s.OfTeam
	case CreateProject:
		return all
	case ManageProject:
		return all || s.Role == Member && s.TeamAdmin
	default:
		return false
	}
}
