package fault

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"sett/internal/payload"
	"sett/internal/sett"
	"sett/internal/store/fault"
	"sett/internal/web"
)

// affected is the affected users of a fault.
type affected struct {
	Count int64
	Top   []affectedUser
}

// affectedUser is one of them.
type affectedUser struct {
	userName
	Count int64
}

// userName is how pages name an affected user.
type userName struct {
	Name string
	Link string // URL by the template of the project, or ""
	Path string // path of the user's page
}

// nameUser returns the name of a user with a label, which is an ID or an email address.
func nameUser(label, link string) userName {
	return userName{cut(label, 200), link, web.AffectedUser(label)}
}

// mostUsers is how many users the page of a fault lists.
const mostUsers = 5

func (p *pages) readUsers(r *http.Request, v *faultView) error {
	found, all, err := p.Faults.AffectedUsers(r.Context(), v.Fault.ProjectID, v.Fault.ID, "", mostUsers)
	if err != nil {
		return err
	}
	v.Users.Count = all
	v.Users.Top, err = p.linkUsers(r.Context(), v.Project, v.Fault, found)
	return err
}

// linkUsers adds the link of the project's template to each user. Users are counted by one label, an email address or an ID.
// If the template needs the other one, it is taken from the newest events.
func (p *pages) linkUsers(ctx context.Context, project sett.Project, f sett.Fault, found []fault.AffectedUser) ([]affectedUser, error) {
	known := map[string]*payload.User{}
	if slices.ContainsFunc(found, func(u fault.AffectedUser) bool { return lacks(project, u.User) }) {
		var err error
		if known, err = p.usersOfEvents(ctx, f); err != nil {
			return nil, err
		}
	}
	users := make([]affectedUser, len(found))
	for i, u := range found {
		who := known[u.User]
		if who == nil {
			who = userOfLabel(u.User)
		}
		users[i] = affectedUser{nameUser(u.User, userLink(project.UserURL, who)), u.Count}
	}
	return users, nil
}

// lacks reports whether the template of a project needs more than the label.
func lacks(project sett.Project, label string) bool {
	template, u := project.UserURL, userOfLabel(label)
	if template != "" && project.UserSearchField != "" {
		return true // the label may be anything
	}
	return u.ID == nil && strings.Contains(template, "[user_id]") || u.Email == "" && strings.Contains(template, "[user_email]")
}

// userOfLabel reads a label with an @ as an email address, and any other as an ID.
func userOfLabel(label string) *payload.User {
	if strings.Contains(label, "@") {
		return &payload.User{Email: label}
	}
	return &payload.User{ID: label}
}

// eventsForUsers is how many of the newest events are read to find the IDs of users.
const eventsForUsers = 100

// usersOfEvents returns the users of the newest events of a fault by email address and ID.
func (p *pages) usersOfEvents(ctx context.Context, f sett.Fault) (map[string]*payload.User, error) {
	notices, _, err := p.Faults.ListNotices(ctx, f.ProjectID, f.ID, fault.NoticePage{Page: sett.Page{Size: eventsForUsers}})
	users := map[string]*payload.User{}
	for _, n := range slices.Backward(notices) { // the newest one counts
		if u := n.Request.User; u != nil {
			users[u.Email], users[idOf(u)] = linkedUser(n), linkedUser(n)
		}
	}
	return users, err
}
