package sentryapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/searchdb"
)

// listedIssues is how many errors a page of the list has.
const listedIssues = 100

// issueAnswer is an error of a project, which sett calls a fault.
type issueAnswer struct {
	ID        string     `json:"id"`
	ShortID   string     `json:"shortId"`
	Title     string     `json:"title"`
	Status    string     `json:"status"`
	Level     string     `json:"level"` // sett has no levels of errors
	FirstSeen time.Time  `json:"firstSeen"`
	LastSeen  *time.Time `json:"lastSeen"`
	Count     string     `json:"count"`
}

func viewIssue(p accounts.NamedProject, f faults.Fault) issueAnswer {
	id := strconv.FormatInt(f.ID, 10)
	return issueAnswer{
		ID: id, ShortID: strings.ToUpper(slugOf(p.Name, strconv.FormatInt(p.ID, 10))) + "-" + id, Title: titleOf(f.Class, f.Message),
		Status: statusOf(f), Level: "error", FirstSeen: f.CreatedAt, LastSeen: nullTime(f.LastNoticeAt), Count: strconv.FormatInt(f.NoticesCount, 10),
	}
}

// titleOf returns the first line of what an error says.
func titleOf(class, message string) string {
	line, _, _ := strings.Cut(message, "\n")
	return strings.TrimSuffix(class+": "+line, ": ")
}

// statusOf returns the state of an error in Sentry's words.
func statusOf(f faults.Fault) string {
	switch {
	case f.Ignored:
		return "ignored"
	case f.Resolved:
		return "resolved"
	}
	return "unresolved"
}

// sentryStates are searches for states in Sentry's words, and what they are in sett's.
var sentryStates = strings.NewReplacer("!is:unresolved", "is:resolved", "!is:resolved", "-is:resolved", "!is:ignored", "-is:ignored",
	"is:unresolved", "-is:resolved -is:ignored", "is:muted", "is:ignored", "is:archived", "is:ignored")

// listIssues lists the errors of a project, those that occurred last first. The query is one of sett, or names a state as Sentry does.
func (a *API) listIssues(w http.ResponseWriter, r *http.Request, c caller) error {
	p, err := a.readableProject(r, c)
	if err != nil {
		return err
	}
	var problems sett.Problems
	filter := searchdb.Filter{Search: sett.CheckSearch(&problems, "query", sentryStates.Replace(r.URL.Query().Get("query")), a.Now()), AskedBy: c.User.ID}
	if err := problems.Refusal(); err != nil {
		return err
	}
	page := sett.Page{Size: listedIssues, Mark: r.URL.Query().Get("cursor")}
	found, err := a.Search.SearchFaults(r.Context(), a.Now(), p.ID, filter, searchdb.Page{Order: searchdb.Recent, Page: page})
	if err != nil {
		return err
	}
	answer := []issueAnswer{}
	for _, f := range found.Faults {
		answer = append(answer, viewIssue(p, f))
	}
	w.Header().Set("Link", linkTo(found.Marks.Next))
	return serve.WriteJSON(w, http.StatusOK, answer)
}

// linkTo returns the header by which clients find the next page of a list; without a cursor there is none.
func linkTo(cursor string) string {
	return fmt.Sprintf(`<?cursor=%s>; rel="next"; results="%t"; cursor="%s"`, url.QueryEscape(cursor), cursor != "", cursor)
}

// readable returns the projects of an account whose errors and check-ins the caller may read. The key of a project only reports.
func (a *API) readable(r *http.Request, c caller) ([]accounts.NamedProject, error) {
	if c.key.ProjectID > 0 {
		return nil, sett.Errorf(sett.Forbidden, "An API key cannot read errors and check-ins. Use a personal token, which you can create at /me/tokens; the scope read suffices.")
	}
	return a.projectsOf(r, c)
}

// readableProject returns the project of the path, if the caller may read it.
func (a *API) readableProject(r *http.Request, c caller) (accounts.NamedProject, error) {
	if _, err := a.readable(r, c); err != nil {
		return accounts.NamedProject{}, err
	}
	found, err := a.named(r, c, nil)
	if err != nil {
		return accounts.NamedProject{}, err
	}
	return found[0], nil
}
