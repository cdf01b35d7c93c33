package fault

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"sett/internal/sett"
	"sett/internal/store/searchdb"
	"sett/internal/web"
)

// place is the list that an error was opened from, and where in it the error is. The pages of errors keep it in their URLs, so
// that the next error is the next one of that list, even if its order has changed since or the error no longer matches.
type place struct {
	asked
	At string // the mark behind the error; "" if it was not opened from a list
}

// requestPlace returns the place of a request; that of a form is in the URL of the page that it was sent from.
func requestPlace(r *http.Request) place {
	query := r.URL.Query()
	if r.Method == http.MethodPost {
		from, err := url.Parse(r.Referer())
		if err != nil {
			return place{}
		}
		query = from.Query()
	}
	return place{askedIn(query), query.Get("at")}
}

// Query returns the query string that keeps the place, or "".
func (l place) Query() string {
	if l.At == "" {
		return ""
	}
	return l.asked.Query() + "&at=" + url.QueryEscape(l.At)
}

// With returns the query string that keeps the place and has one more parameter.
func (l place) With(name, value string) string {
	before := "?"
	if kept := l.Query(); kept != "" {
		before = kept + "&"
	}
	return before + url.Values{name: {value}}.Encode()
}

// listPathOf returns the path of the list of a project, with the search of the place.
func (l place) listPathOf(project int64) string {
	list := listPathIn(project)
	if l.At != "" {
		list += l.asked.Query()
	}
	return list
}

// beside returns the path of the error after the one of a request in the list of its place, or before it; "" if there is none.
func (p *pages) beside(r *http.Request, l place, before bool) (path string, err error) {
	var problems sett.Problems
	filter := l.filter(&problems, web.Who(r).User.ID, p.Now())
	if err := problems.Refusal(); err != nil || l.At == "" {
		return "", err
	}
	page := sett.Page{Size: 1, Mark: l.At}
	if before { // a page that goes back ends with the error itself, if it still matches
		page.Size, page.Back = 2, true
	}
	found, err := p.Search.SearchFaults(r.Context(), p.Now(), web.Project(r), filter, searchdb.Page{Order: l.order(), Page: page})
	for i, f := range slices.Backward(found.Faults) {
		if f.ID != web.PathID(r, "fault_id") {
			l.At = found.At[i]
			return faultAddress(f.ProjectID, f.ID) + l.Query(), err
		}
	}
	return "", err
}

func (p *pages) nextPage(w http.ResponseWriter, r *http.Request) error {
	return p.toBeside(w, r, false, "list_end")
}

func (p *pages) previousPage(w http.ResponseWriter, r *http.Request) error {
	return p.toBeside(w, r, true, "list_start")
}

// toBeside redirects to the error beside that of the request, or back to the list if it has no more.
func (p *pages) toBeside(w http.ResponseWriter, r *http.Request, before bool, end string) error {
	if _, err := p.Faults.FaultByID(r.Context(), web.Project(r), web.PathID(r, "fault_id")); err != nil {
		return err
	}
	l := requestPlace(r)
	path, err := p.beside(r, l, before)
	switch {
	case err != nil:
		return err
	case path == "":
		return p.Done(w, l.listPathOf(web.Project(r)), end)
	}
	return p.Redirect(w, path)
}

// resolvedNext redirects from an error that was resolved to the one after it, where the change can be undone.
func (p *pages) resolvedNext(w http.ResponseWriter, r *http.Request, undo string) error {
	l := requestPlace(r)
	path, err := p.beside(r, l, false)
	switch {
	case err != nil:
		return err
	case path == "":
		return p.Done(w, l.listPathOf(web.Project(r)), "resolved_last"+undo)
	}
	return p.Done(w, path, "resolved_next"+undo+fmt.Sprintf("&was=%d", web.PathID(r, "fault_id")))
}
