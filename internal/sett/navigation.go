package sett

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
