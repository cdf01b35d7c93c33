package accounts

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
	Public          Permission = "public"           // no credentials needed
	SignedIn        Permission = "signed_in"        // any user; the answer holds what they can see
	ReadProject     Permission = "read_project"     // see errors, settings and keys of a project
	WorkFaults      Permission = "work_faults"      // resolve, ignore, assign, pause, comment on, delete and link faults
	WatchProject    Permission = "watch_project"    // make, change, pause and delete sites and check-ins of a project
	CreateProject   Permission = "create_project"   // add a project to an account
	ManageProject   Permission = "manage_project"   // change or delete a project
	ReadAccount     Permission = "read_account"     // see an account and who belongs to it
	ManagePeople    Permission = "manage_people"    // invite users to an account, change their roles, remove them; change its name
	LeaveAccount    Permission = "leave_account"    // go; to remove others takes manage_people, see Standing.Remove
	CreateTeam      Permission = "create_team"      // add a team to an account
	ReadTeam        Permission = "read_team"        // see a team, its members and its projects
	ManageTeam      Permission = "manage_team"      // change or delete a team, invite to it, change and remove its members
	LeaveTeam       Permission = "leave_team"       // go; to remove others takes manage_team, see TeamStanding.Remove
	ReadAudit       Permission = "read_audit"       // see who changed what in an account
	ManageDirectory Permission = "manage_directory" // decide which directory manages the people of an account, and signs them in
	ReportWithKey   Permission = "report_with_key"  // a client with a project's API key

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
	case ReadAudit, ManageDirectory:
		return s.Role == Owner
	default:
		return false
	}
}

// Plan is what the accounts of a server may use.
type Plan string

// The plans. Sold services have them in this order; a self-hosted server has everything.
const (
	SelfHosted     Plan = "self-hosted"
	DeveloperPlan  Plan = "developer"
	TeamPlan       Plan = "team"
	BusinessPlan   Plan = "business"
	EnterprisePlan Plan = "enterprise"
)

// CustomStatusPages reports whether status pages may hide the branding and have features: the Team plan and above
// (contract, Status page).
func (p Plan) CustomStatusPages() bool { return p != DeveloperPlan }

// Navigation is what the pages of a user show around their content.
type Navigation struct {
	Project  NamedProject   // where they are; its ID is 0 outside of projects
	Account  NamedAccount   // of that project, or where they are, or the first of theirs; its ID is "" for who has none
	Projects []NamedProject // that they can see, by name
	Accounts []NamedAccount // that they belong to, the oldest first

	Operator bool // they may see the pages about the server itself

	Unresolved int64 // faults of the project that are neither resolved nor ignored; see MostOpenErrors
	Sites      int64
	CheckIns   int64
	Down       bool // a site of the project is down, or a check-in missed or failed
}

// MostOpenErrors is how many open faults of a project every page counts; one more stands for all that there are beyond.
const MostOpenErrors = 999

// NamedProject is a project by its name.
type NamedProject struct {
	ID        int64
	Name      string
	AccountID string
}

// NamedAccount is an account by its name, with the role of a user in it.
type NamedAccount struct {
	ID   string
	Name string
	Role Role
}

// mostInMenu is how many projects a menu lists.
const mostInMenu = 50

// Menu returns the first of the projects, for a menu that stands on every page.
func (n Navigation) Menu() []NamedProject { return n.Projects[:min(len(n.Projects), mostInMenu)] }

// Place sets where the user is: in a project, an account, or where neither is named.
func (n *Navigation) Place(projectID int64, accountID string) {
	for _, p := range n.Projects {
		if p.ID == projectID {
			n.Project, accountID = p, p.AccountID
		}
	}
	for i, a := range n.Accounts {
		if i == 0 || a.ID == accountID {
			n.Account = a
		}
	}
}

// May reports whether the user may do something in the account where they are.
func (n Navigation) May(p Permission) bool { return Scope{Role: n.Account.Role}.May(p) }
