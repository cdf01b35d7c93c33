package sett

import (
	"slices"
	"time"
)

// Account owns projects, teams and everything in them.
type Account struct {
	ID        string
	Name      string
	Email     string
	Active    bool
	Parked    bool
	CreatedAt time.Time
}

// AccountSummary is an account with how much there is in it, as those see it who run the server.
type AccountSummary struct {
	Account
	Owners   []string // their addresses, in the order of the alphabet
	Users    int64
	Projects int64
}

// UsageDay is how the notices of an account ended on one UTC day.
type UsageDay struct {
	Day     time.Time // its midnight
	Stored  int64
	Limited int64
	Ignored int64
	Invalid int64
}

// AccountUsage is how the notices of an account ended in one month: an entry a day, from the first of the month.
type AccountUsage []UsageDay

// NewAccountUsage returns a usage of nothing: an entry for every day of now's month (UTC) that has begun. The days to
// come are left out, because a zero would claim to know how they end.
func NewAccountUsage(now time.Time) AccountUsage {
	var u AccountUsage
	for day := Month(now); !day.After(now); day = day.AddDate(0, 0, 1) {
		u = append(u, UsageDay{Day: day})
	}
	return u
}

// Set replaces the entry of d's day; a day that u does not have is dropped.
func (u AccountUsage) Set(d UsageDay) {
	if i := d.Day.UTC().Day() - 1; len(u) > i && u[i].Day.Equal(d.Day) {
		u[i] = d
	}
}

// QuotaConsumed returns which part of the monthly quota the stored notices are: 0.75 is 75 percent, and more than 1 is
// possible when the quota was lowered. Without a quota it is 0.
func (u AccountUsage) QuotaConsumed(l Limits) float64 {
	if l.MonthlyQuota <= 0 {
		return 0
	}
	var stored int64
	for _, d := range u {
		stored += d.Stored
	}
	return float64(stored) / float64(l.MonthlyQuota)
}

// AccountUser is a user with what they are in an account.
type AccountUser struct {
	Person
	Role Role
}

// AccountUserChange is the body of an update of an account's user: only what was sent changes.
type AccountUserChange struct {
	Role Optional[Role] `json:"role,omitzero" enum:"Member,Billing,Admin,Owner" null:"no"`
}

// Apply returns the role of a user who had the given one, or an Invalid error.
func (c AccountUserChange) Apply(role Role) (Role, error) {
	var p Problems
	set(&p, "role", c.Role, &role, "")
	if c.Role.Bad == "" {
		CheckRole(&p, "role", role)
	}
	return role, p.Refusal()
}

// CheckRole notes that a role is none of the contract's.
func CheckRole(p *Problems, field string, role Role) {
	if !slices.Contains(Roles, role) {
		p.Add(field, "is not included in the list: %s, %s, %s, %s", Member, Billing, Admin, Owner)
	}
}

// Standing is what decides whether somebody may change what a user is in an account.
type Standing struct {
	Asker  Role  // of who asks
	User   Role  // of the user
	Owners int64 // how many owners the account has
	Self   bool  // who asks is the user
}

// ChangeRole returns a Forbidden error when who asks may not give the user this role, and an Invalid one when the account
// would have no owner left.
func (s Standing) ChangeRole(to Role) error {
	if err := s.mayManage(); err != nil {
		return err
	}
	if to == Owner && s.Asker != Owner {
		return Errorf(Forbidden, "Only an owner of this account can make another user an owner. Ask one of them.")
	}
	if to != Owner && s.lastOwner() {
		return Refuse("role", "can't be changed, because this is the last owner of the account: make another user an owner first")
	}
	return nil
}

// Remove returns a Forbidden error when who asks may not remove the user from the account, and an Invalid one when it
// would have no owner left. Everybody may go themselves.
func (s Standing) Remove() error {
	if err := s.mayManage(); err != nil && !s.Self {
		return err
	}
	if s.lastOwner() {
		return Errorf(Invalid, "This is the last owner of the account. Make another user an owner first.")
	}
	return nil
}

func (s Standing) mayManage() error {
	switch scope := (Scope{Role: s.Asker}); {
	case !scope.May(ManagePeople):
		return Errorf(Forbidden, "Your role in this account does not allow this. Ask an admin or owner of it.")
	case s.User == Owner && s.Asker != Owner:
		return Errorf(Forbidden, "Only an owner of this account can change or remove an owner. Ask one of them.")
	}
	return nil
}

// Loses reports whether the user is an owner or admin and would be less with that role.
func (s Standing) Loses(to Role) bool {
	return s.User == Owner && to != Owner || s.User == Admin && to != Owner && to != Admin
}

// LosesTeams reports whether the user, as an admin of teams, could manage them and could not with that role.
func (s Standing) LosesTeams(to Role) bool {
	admin := func(r Role) bool { return Scope{Role: r, OfTeam: true, TeamAdmin: true}.May(ManageTeam) }
	return admin(s.User) && !admin(to)
}

func (s Standing) lastOwner() bool { return s.User == Owner && s.Owners <= 1 }

// UserSummary is a user with everything that they belong to, as those see it who run the server.
type UserSummary struct {
	Person
	SecondFactor bool          // they show one beside their password
	Accounts     []UserAccount // in the order of their ids
}

// UserAccount is an account that a user belongs to, and what they are in it.
type UserAccount struct {
	ID   string
	Name string
	Role Role
}

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

// Team connects users of an account with projects of it.
type Team struct {
	ID        int64
	Name      string
	CreatedAt time.Time
	Owner     *Person // who made it; nil when they have left the account
	Members   []TeamMember
	Projects  []Project

	Invitations []Invitation // none for those who may not manage the team: they hold tokens
}

// TeamMember is a user in a team; its id is the user's, so that it is the same in every team and beside every fault.
type TeamMember struct {
	Person
	Admin     bool
	CreatedAt time.Time // when they came into the team
}

// TeamStanding is what decides whether somebody may take a member out of a team.
type TeamStanding struct {
	Asker Scope // of who asks, in the team
	Self  bool  // who asks is the member
}

// Remove returns a Forbidden error when who asks may not take the member out of the team. Everybody may go themselves.
func (s TeamStanding) Remove() error {
	if s.Self || s.Asker.May(ManageTeam) {
		return nil
	}
	return Errorf(Forbidden, "Only an admin of this team or of the account can remove others from it. Ask one of them.")
}

// TeamChange is the body of a team's create and update: only what was sent changes.
type TeamChange struct {
	Name Optional[string] `json:"name,omitzero" doc:"Required when creating." range:"1,255" null:"no" example:"Checkout"`
}

// Apply returns the name of a team that had the given name, "" for a new one, or an Invalid error.
func (c TeamChange) Apply(name string) (string, error) {
	var p Problems
	setName(&p, c.Name, &name)
	return name, p.Refusal()
}

// TeamMemberChange is the body of an update of a team's member: only what was sent changes.
type TeamMemberChange struct {
	Admin Optional[LenientBool] `json:"admin,omitzero" doc:"Admins of a team manage it and its projects; null is false."`
}

// Apply returns whether a member is an admin, or an Invalid error.
func (c TeamMemberChange) Apply(admin bool) (bool, error) {
	var p Problems
	flag := LenientBool(admin)
	set(&p, "admin", c.Admin, &flag, false)
	return bool(flag), p.Refusal()
}

// Plan is what the accounts of a server may use.
type Plan string

// The plans. Sold services have them in this order; whoever runs sett for themselves has everything.
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

// Under returns the page as it is shown while the plan is in force. What the plan does not have stays stored, and is shown
// again once one has it; a domain is in every plan.
func (page StatusPage) Under(p Plan) StatusPage {
	if !p.CustomStatusPages() {
		page.HideBranding, page.Features = false, StatusFeatures{}
	}
	return page
}

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
