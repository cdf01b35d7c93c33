package fault

import (
	"net/http"
	"slices"
	"time"

	"sett/internal/event/payload"
	"sett/internal/ingest/group"
	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/faultdb"
	"sett/internal/web"
)

// noticeList is the events of a fault.
type noticeList struct {
	web.Shell
	Fault faults.Fault
	Said  string // the message that the events have; "" for all
	Rows  []noticeRow
	Pager web.Pager
}

// Path returns the path of the fault.
func (v noticeList) Path() string { return faultAddress(v.Fault.ProjectID, v.Fault.ID) }

// noticeRow is one event.
type noticeRow struct {
	ID, Message           string
	User                  userName
	Host, Revision, Where string
	At                    web.Moment
}

// noticesOfPage is how many events a page lists.
const noticesOfPage = 25

func (p *pages) noticesPage(w http.ResponseWriter, r *http.Request) error {
	found, err := p.Faults.FaultByID(r.Context(), web.Project(r), web.PathID(r, "fault_id"))
	if err != nil {
		return p.orMerged(w, r, err, web.PathID(r, "fault_id"), "/notices")
	}
	page := noticeList{Shell: p.Shell(r, "Events of "+titleOf(found)).In("faults"), Fault: found}
	page.Heading = "Events"
	notices, marks, err := p.noticesOf(r, found, &page.Said)
	if err != nil {
		return err
	}
	page.Pager = p.NewPager(r, marks)
	for _, n := range notices {
		class, message := group.Title(group.NamedOf(n.Payload))
		page.Rows = append(page.Rows, noticeRow{
			n.ID.String(), cut(orWord(message, class), 160), nameUser(userOf(n), ""), cut(n.Environment.Hostname, 80), cut(n.Payload.Environment.Revision, 12), cut(n.Request.URL, 100), page.Moment(n.CreatedAt()),
		})
	}
	return p.Show(w, r, http.StatusOK, "notices", page)
}

// mostLookedAt is how many events are read for a page of those with one message.
const mostLookedAt = 1000

// noticesOf returns a page of the events of a fault: of all, or of those with the message that the request asks for, which it sets.
func (p *pages) noticesOf(r *http.Request, f faults.Fault, said *string) (found []faults.Notice, marks sett.Marks, err error) {
	part := faultdb.NoticePage{Page: web.PageOf(r, noticesOfPage)}
	key, asked := faults.ParseSaidKey(r.URL.Query().Get("message"))
	if !asked {
		return p.Faults.ListNotices(r.Context(), f.ProjectID, f.ID, part)
	}
	all, err := p.Faults.Messages(r.Context(), f)
	if err != nil {
		return nil, marks, err
	}
	*said = "a message that is not kept any longer"
	for _, m := range all {
		if m.Key() == key {
			*said = cut(textOf(m.Said, f.Class), 240)
			if part.Mark == "" && !m.Last.IsZero() {
				part.CreatedBefore = m.Last.Add(time.Microsecond)
			}
		}
	}
	for looked := 0; looked < mostLookedAt && len(found) < noticesOfPage; looked += noticesOfPage {
		some, next, err := p.Faults.ListNotices(r.Context(), f.ProjectID, f.ID, part)
		if err != nil {
			return nil, marks, err
		}
		found = append(found, slices.DeleteFunc(some, func(n faults.Notice) bool { return !says(n, key) })...)
		if marks.Next = next.Next; next.Next == "" {
			break
		}
		part.Mark, part.Back = next.Next, false
	}
	return found, marks, nil
}

// says reports whether an event has a message: as it is called now, or was by an earlier rule.
func says(n faults.Notice, key faults.SaidKey) bool {
	class, message := group.Title(group.NamedOf(n.Payload))
	return faults.Said{Class: class, Message: message}.Key() == key || n.Says(key)
}

// userList is the affected users of a fault.
type userList struct {
	web.Shell
	Fault faults.Fault
	Find  string
	Users affected
	Rows  []affectedUser
	Most  int
	Files web.ExportLinks
}

// Path returns the path of the fault.
func (v userList) Path() string { return faultAddress(v.Fault.ProjectID, v.Fault.ID) }

// usersOfPage is how many users a page lists; the others are found by search.
const usersOfPage = 200

func (p *pages) usersPage(w http.ResponseWriter, r *http.Request) error {
	found, err := p.Faults.FaultByID(r.Context(), web.Project(r), web.PathID(r, "fault_id"))
	if err != nil {
		return p.orMerged(w, r, err, web.PathID(r, "fault_id"), "/users")
	}
	project, err := p.Accounts.ProjectWithoutCounts(r.Context(), found.ProjectID)
	if err != nil {
		return err
	}
	page := userList{Shell: p.Shell(r, "Users affected by "+titleOf(found)).In("faults"), Fault: found, Find: cut(r.URL.Query().Get("find"), 200), Most: usersOfPage, Files: p.ExportPath(r, r.URL.Path)}
	page.Heading = "Affected users"
	kept, err := p.readKey(r.Context(), found)
	if err != nil {
		return err
	}
	users, err := p.findUsers(r.Context(), page.Now, found, kept, page.Find)
	if err != nil {
		return err
	}
	page.Users.Count, page.Users.Many = users.all, users.many
	page.Rows, err = linkUsers(project, users.top, func() (map[string]*payload.User, error) { return p.knownUsers(r.Context(), page.Now, found, kept) })
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "fault_users", page)
}
