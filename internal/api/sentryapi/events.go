package sentryapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
)

// listedEvents is how many events are listed: the newest of a project. There is one page of them.
const listedEvents = 50

// eventAnswer is an event, which sett calls a notice.
type eventAnswer struct {
	ID          string     `json:"id"`
	EventID     string     `json:"eventID"`
	GroupID     string     `json:"groupID"`
	Title       string     `json:"title"`
	DateCreated time.Time  `json:"dateCreated"`
	User        *eventUser `json:"user"`
	Tags        []eventTag `json:"tags"`
}

type eventUser struct {
	ID    string `json:"id,omitempty"`
	Email string `json:"email,omitempty"`
}

type eventTag struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

func viewEvent(n faults.Notice) eventAnswer {
	id := strings.ReplaceAll(n.ID.String(), "-", "")
	answer := eventAnswer{ID: id, EventID: id, GroupID: fmt.Sprint(n.FaultID), Title: titleOf(n.Class, n.Message), DateCreated: n.CreatedAt(), Tags: tagsOf(n)}
	if u := n.Request.User; u != nil {
		answer.User = &eventUser{Email: u.Email}
		if u.ID != nil {
			answer.User.ID = fmt.Sprint(u.ID)
		}
	}
	return answer
}

// tagsOf returns the tags that an SDK has sent, with the environment and the release, sorted by their keys.
func tagsOf(n faults.Notice) []eventTag {
	tags := []eventTag{}
	for key, value := range map[string]string{"environment": n.Environment.EnvironmentName, "release": n.Environment.Revision} {
		if value != "" {
			tags = append(tags, eventTag{key, value})
		}
	}
	sent, _ := n.Request.Context["tags"].(map[string]any)
	for key, value := range sent {
		tags = append(tags, eventTag{key, fmt.Sprint(value)})
	}
	slices.SortFunc(tags, func(a, b eventTag) int { return strings.Compare(a.Key, b.Key) })
	return tags
}

// listEvents lists the newest events of a project, newest first.
func (a *API) listEvents(w http.ResponseWriter, r *http.Request, c caller) error {
	p, err := a.readableProject(r, c)
	if err != nil {
		return err
	}
	newest, err := a.newestEvents(r, p.ID)
	if err != nil {
		return err
	}
	answer := []eventAnswer{}
	for _, n := range newest {
		answer = append(answer, viewEvent(n))
	}
	w.Header().Set("Link", linkTo(""))
	return serve.WriteJSON(w, http.StatusOK, answer)
}

// newestEvents returns the newest events of a project. They are of the errors that occurred last, of as many at most; each of these is
// only read for what is newer than the oldest that was found by then.
func (a *API) newestEvents(r *http.Request, project int64) (newest []faults.Notice, err error) {
	recent := searchdb.Page{Order: searchdb.Recent, Page: sett.Page{Size: listedEvents}}
	found, err := a.Search.SearchFaults(r.Context(), a.Now(), project, searchdb.Filter{}, recent)
	if err != nil {
		return nil, err
	}
	for _, f := range found.Faults {
		page := faultdb.NoticePage{Page: sett.Page{Size: listedEvents}}
		if len(newest) == listedEvents {
			page.CreatedAfter = newest[listedEvents-1].CreatedAt()
		}
		if f.LastNoticeAt.Before(page.CreatedAfter) {
			break
		}
		notices, _, err := a.Faults.ListNotices(r.Context(), project, f.ID, page)
		if err != nil {
			return nil, err
		}
		newest = append(newest, notices...)
		slices.SortFunc(newest, func(a, b faults.Notice) int { return int(b.Key - a.Key) })
		newest = newest[:min(len(newest), listedEvents)]
	}
	return newest, nil
}
