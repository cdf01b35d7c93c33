package fault

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/faultdb"
	"sett/internal/web"
)

// affected is the affected users of a fault.
type affected struct {
	Count int64
	Many  bool // there are more than Count, which are still being counted
	Top   []affectedUser
}

// Number returns how many users there are: "10,000+" while they are being counted.
func (a affected) Number() string {
	if a.Many {
		return web.Number(a.Count) + "+"
	}
	return web.Number(a.Count)
}

// countedUsers are the users with most events of a fault, and how many users there are in all; many as in affected.
type countedUsers struct {
	top  []faultdb.AffectedUser
	all  int64
	many bool
}

// keyOf names a fault, and changes when a user was erased from the project, whom nothing that is kept may name from then on.
func keyOf(f faults.Fault, erased string) string {
	return faultAddress(f.ProjectID, f.ID) + " " + erased
}

func (p *pages) readKey(ctx context.Context, f faults.Fault) (string, error) {
	erased, err := p.Faults.ErasureState(ctx, f.ProjectID)
	return keyOf(f, erased), err
}

// countUsers returns the affected users of a fault, which are kept under its key. Those of a fault with very many are counted in the background.
func (p *pages) countUsers(ctx context.Context, now time.Time, f faults.Fault, key string) (countedUsers, error) {
	return p.users.Read(ctx, now, key, web.Parts[countedUsers]{
		Some: func(ctx context.Context) (countedUsers, bool, error) {
			top, all, err := p.Faults.FewAffectedUsers(ctx, f.ProjectID, f.ID, usersOfPage)
			if all > faultdb.MostUsersAtOnce {
				return countedUsers{all: faultdb.MostUsersAtOnce, many: true}, false, err
			}
			return countedUsers{top, all, false}, true, err
		},
		All: func(ctx context.Context) (countedUsers, error) {
			top, all, err := p.Faults.AffectedUsers(ctx, f.ProjectID, f.ID, "", usersOfPage)
			return countedUsers{top, all, false}, err
		},
	})
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

// findUsers returns the affected users of a fault whose name contains a text.
func (p *pages) findUsers(ctx context.Context, now time.Time, f faults.Fault, key, text string) (found countedUsers, err error) {
	if text == "" {
		return p.countUsers(ctx, now, f, key)
	}
	found.top, found.all, err = p.Faults.AffectedUsers(ctx, f.ProjectID, f.ID, text, usersOfPage)
	return found, err
}

func (p *pages) readUsers(r *http.Request, v *faultView) error {
	found, err := p.countUsers(r.Context(), v.Now, v.Fault, keyOf(v.Fault, v.erased))
	if err != nil {
		return err
	}
	v.Users.Count, v.Users.Many = found.all, found.many
	v.Users.Top, err = linkUsers(v.Project, found.top[:min(len(found.top), mostUsers)], func() (map[string]*payload.User, error) {
		return p.newest.ReadWhole(r.Context(), v.Now, v.asOf, func(ctx context.Context) (map[string]*payload.User, error) {
			known, _, err := p.usersOfEvents(ctx, v.Fault, firstForUsers)
			return known, err
		})
	})
	return err
}

// readUserTrend reads how many users the fault affected in a day. It reads events only if there are any.
func (p *pages) readUserTrend(r *http.Request, v *faultView) error {
	v.UserTrend = &trend{Unit: "user"}
	if v.Now.Sub(v.Fault.LastNoticeAt) > 48*time.Hour {
		return nil
	}
	d, err := p.days.ReadWhole(r.Context(), v.Now, v.asOf, func(ctx context.Context) (faultdb.UserDays, error) {
		return p.Faults.UsersOfDays(ctx, v.Now, v.Fault.ProjectID, v.Fault.ID)
	})
	v.UserTrend.Now, v.UserTrend.Before, v.UserTrend.Some, v.UserTrend.Unknown = d.Today, d.Yesterday, d.Some, d.Unknown
	return err
}

// linkUsers adds the link of the project's template to each user. Users are counted by one label, an email address or an ID.
// If the template needs the other one, it is taken from the users of the newest events.
func linkUsers(project accounts.Project, found []faultdb.AffectedUser, newest func() (map[string]*payload.User, error)) (users []affectedUser, err error) {
	known := map[string]*payload.User{}
	if slices.ContainsFunc(found, func(u faultdb.AffectedUser) bool { return lacks(project, u.User) }) {
		if known, err = newest(); err != nil {
			return nil, err
		}
	}
	users = make([]affectedUser, len(found))
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
func lacks(project accounts.Project, label string) bool {
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

// How many of the newest events are read to find the IDs of users, each of which is parsed as a whole: a few, and for the list of all users more,
// in the background.
const (
	firstForUsers  = 5
	eventsForUsers = 100
)

// knownUsers returns the users of the newest events of a fault by email address and ID, which are kept under its key.
func (p *pages) knownUsers(ctx context.Context, now time.Time, f faults.Fault, key string) (map[string]*payload.User, error) {
	return p.known.Read(ctx, now, key, web.Parts[map[string]*payload.User]{
		Some: func(ctx context.Context) (map[string]*payload.User, bool, error) {
			users, n, err := p.usersOfEvents(ctx, f, firstForUsers)
			return users, n < firstForUsers, err
		},
		All: func(ctx context.Context) (map[string]*payload.User, error) {
			users, _, err := p.usersOfEvents(ctx, f, eventsForUsers)
			return users, err
		},
	})
}

func (p *pages) usersOfEvents(ctx context.Context, f faults.Fault, most int) (users map[string]*payload.User, n int, err error) {
	notices, _, err := p.Faults.ListNotices(ctx, f.ProjectID, f.ID, faultdb.NoticePage{Page: sett.Page{Size: most}})
	users = map[string]*payload.User{}
	if sett.CodeOf(err) == sett.Unavailable { // they are in object storage: users are shown without what events say of them
		return users, most, nil
	}
	for _, n := range slices.Backward(notices) { // the newest one counts
		if u := n.Request.User; u != nil {
			users[u.Email], users[idOf(u)] = linkedUser(n), linkedUser(n)
		}
	}
	return users, len(notices), err
}
