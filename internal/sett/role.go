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

// Every permission that a route can ask for. Where a permission concerns a project or a team, a Member or Billing user
// has it only for their teams and the projects of those.
const (
	Public        Permission = "public"          // nobody needs to be known
	SignedIn      Permission = "signed_in"       // any user; the answer holds what they can see
	ReadProject   Permission = "read_project"    // see errors, settings and keys of a project
	WorkFaults    Permission = "work_faults"     // resolve, ignore, assign, pause, comment on, delete and link faults
	WatchProject  Permission = "watch_project"   // make, change, pause and delete sites and check-ins of a project
	CreateProject Permission = "create_project"  // add a project to an account
	ManageProject Permission = "manage_project"  // change or delete a project
	ReadAccount   Permission = "read_account"    // see an account and who belongs to it
	ManagePeople  Permission = "manage_people"   // invite users to an account, change their roles, remove them; change its name
	LeaveAccount  Permission = "leave_account"   // go; to remove others takes manage_people, see Standing.Remove
	CreateTeam    Permission = "create_team"     // add a team to an account
	ReadTeam      Permission = "read_team"       // see a team, its members and its projects
	ManageTeam    Permission = "manage_team"     // change or delete a team, invite to it, change and remove its members
	LeaveTeam     Permission = "leave_team"      // go; to remove others takes manage_team, see TeamStanding.Remove
	ReadAudit     Permission = "read_audit"      // see who changed what in an account
	ReportWithKey Permission = "report_with_key" // a client with a project's API key

	ReadFigures Permission = "read_figures" // see the server's figures, with the token of its settings

	ManageStatusPages Permission = "manage_status_pages" // make, change and delete status pages of an account, and tell incidents
	RunServer         Permission = "run_server"          // see the pages about the server itself, whatever the role in accounts
)

// Scope is how far a user's rights reach in the account that something belongs to.
type Scope struct {
	AccountID string
	Name      string // of the project, team or account itself
	Role      Role
	OfTeam    bool // it is a team of the user, or a project of one
	TeamAdmin bool // and the user is an admin of such a team
	Operator  bool // the user runs the server; where that is asked for
}

// May reports whether a user with the given scope may do what the permission says. This is the one table of who may do
// what (wire.md §9.4).
func (s Scope) May(p Permission) bool {
	all := s.Role == Admin || s.Role == Owner
	switch p {
	case Public, ReportWithKey:
		return true
	case SignedIn, ReadAccount, LeaveAccount:
		return s.Role != ""
	case ReadProject, WorkFaults, WatchProject, ReadTeam, LeaveTeam:
		return all || s.OfTeam
	case CreateProject, CreateTeam, ManagePeople, ManageStatusPages:
		return all
	case ManageProject, ManageTeam:
		return all || s.Role == Member && s.TeamAdmin
	case RunServer:
		return s.Operator
	case ReadAudit:
		return s.Role == Owner
	default:
		return false
	}
}
