package fault

import (
	"fmt"
	"net/http"

	"sett/internal/base/phrase"
	"sett/internal/sett"
	"sett/internal/store/sheet"
	"sett/internal/web"
)

// following is who follows a fault.
type following struct {
	Me  bool   // the user does
	Who string // the names of the others, such as "Ada and Ben"; "" for none
}

// mostFollowers is how many followers the menu names.
const mostFollowers = 5

// followingOf names only people who can see the project.
func followingOf(s *sheet.Fault, me int64) (f following) {
	var names []string
	for _, u := range s.Project.Users {
		switch {
		case !s.Followers[u.ID]:
		case u.ID == me:
			f.Me = true
		default:
			names = append(names, u.Called())
		}
	}
	if more := len(names) - mostFollowers; more > 0 {
		names = append(names[:mostFollowers], fmt.Sprint(more, " more"))
	}
	if len(names) > 0 {
		f.Who = phrase.And(names)
	}
	return f
}

// follow has the user follow the fault, or unfollow it.
func (p *pages) follow(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	wanted, ok := map[string]struct {
		follows bool
		done    string
	}{"follow": {true, "followed"}, "unfollow": {false, "unfollowed"}}[form.Get("do")]
	if !ok {
		return p.again(w, r, sett.Refuse("do", "must be one of follow and unfollow"), nil)
	}
	err = p.Faults.Follow(r.Context(), p.Now(), web.Who(r).User.ID, web.Project(r), web.PathID(r, "fault_id"), wanted.follows)
	return p.changed(w, r, err, wanted.done)
}
