package fault

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"time"

	"sett/internal/event/query"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store/searchdb"
	"sett/internal/web"
)

// list is the page of a project's faults.
type list struct {
	web.Shell
	ProjectID    int64        // 0: all projects of the user
	Projects     []web.Choice // of a list of all
	Works        bool         // the user may change errors
	Tabs         []tab
	Asked        asked
	Environments []web.Choice
	Orders       []web.Choice
	Wrong        string     // what is wrong with the search
	Meant        web.Choice // how it was probably meant: the right term, and the URL of the list with it
	Facets       *facets    // nil: nothing was reported yet
	Rows         []row
	IDs          string    // of the rows, as the box that selects all of them sends them
	Part         sett.Page // of the list
	Pager        web.Pager
	Files        web.ExportLinks
	AsOf         string // when the list was read
	Matching     string // how many faults match the search, if there is more than one page
	Total        string // how many do, unless a tab shows it
	Empty        web.Empty
	Unsearched   *unsearched
	Affected     string // path of the page of the user that the search asks for, or ""
	Saved        []saved
	Save         web.Field
	People       []web.Choice
	Live         string // URL of the stream that reports new events
	Comfortable  string // URLs of the two densities
	Compact      string
	Shown        triage.ShownColumns
	Columns      []columnChoice

	search query.Spelled // that of Asked
	order  []int64       // the projects of a list of all, those with the newest notices first
}

// tab is one of the searches above the list.
type tab struct {
	Label, Address string
	Count          int64
	Counted, Here  bool
}

// asked is the query of the list.
type asked struct {
	Q, Environment, Order, View string
	Project                     string // the ID of the one project of a list of all; "" for all
	Given                       bool   // the query has a search, even if it is empty
}

// Rows per page.
const (
	rowsOfPage    = 25
	rowsOfCompact = 50
)

// listPathIn returns the path of the list of a project; 0 stands for all projects.
func listPathIn(project int64) string {
	if project == 0 {
		return everyPath
	}
	return fmt.Sprintf("/projects/%d/faults", project)
}

// List is the path of the list.
func (v list) List() string { return listPathIn(v.ProjectID) }

func askedOf(r *http.Request) asked { return askedIn(r.URL.Query()) }

func askedIn(query url.Values) asked {
	return asked{Q: query.Get("q"), Environment: query.Get("environment"), Order: query.Get("order"), View: query.Get("view"), Project: query.Get("project"), Given: query.Has("q")}
}

// Query returns the query string of the first page of the same list.
func (a asked) Query() string {
	query := url.Values{"q": {a.Q}}
	for name, text := range map[string]string{"environment": a.Environment, "order": a.Order, "view": a.View, "project": a.Project} {
		if text != "" {
			query.Set(name, text)
		}
	}
	return "?" + query.Encode()
}

// order returns the order for the store: by the last event by default.
func (a asked) order() searchdb.Order {
	switch a.Order {
	case "newest":
		return searchdb.ByCreation
	case "frequent":
		return searchdb.Frequent
	default:
		return searchdb.Recent
	}
}

func (a asked) rows() int {
	if a.View == "compact" {
		return rowsOfCompact
	}
	return rowsOfPage
}

// filter parses the search and adds its problems.
func (a asked) filter(problems *sett.Problems, user int64, now time.Time) searchdb.Filter {
	return a.filterOf(sett.CheckSearch(problems, "q", a.Q, now), user)
}

// filterOf is the filter of a search.
func (a asked) filterOf(search query.Search, user int64) searchdb.Filter {
	if a.Environment != "" {
		search.Terms = append(search.Terms, query.Term{Key: query.Environment, Values: []query.Value{{Text: a.Environment}}})
	}
	return searchdb.Filter{Search: search, AskedBy: user}
}

// spelled returns the query with the search that it stands for: by default that of the first tab, and within the days of the form of the panel.
func (a asked) spelled(form url.Values, now time.Time) (asked, query.Spelled) {
	if !a.Given {
		a.Q = faults.UnresolvedTab.Query()
	}
	s := query.Spell(a.Q, now)
	if form.Has("from") || form.Has("to") {
		s = within(s, form, now)
		a.Q = s.String()
	}
	return a, s
}

func (p *pages) listPage(w http.ResponseWriter, r *http.Request) error {
	page, err := p.viewList(r, askedOf(r))
	if err != nil {
		return err
	}
	p.rememberFields(w, r)
	showCount(r, &page.Shell)
	if err := p.showWaiting(r, &page.Shell); err != nil {
		return err
	}
	status := http.StatusOK
	if page.Wrong != "" {
		status = http.StatusUnprocessableEntity
	}
	return p.Show(w, r, status, "faults", page)
}

// viewList reads the data of a list.
func (p *pages) viewList(r *http.Request, a asked) (*list, error) {
	v := &list{Shell: p.Shell(r, "Errors").In("faults"), ProjectID: web.Project(r), Save: web.Field{Name: "name", Label: "Name", Kind: "text"}}
	if v.Works = v.May(accounts.WorkFaults); v.ProjectID == 0 {
		v.Title, v.Section, v.Works = "All errors", "all_faults", len(v.Nav.Projects) > 0
	}
	v.Asked, v.search = a.spelled(r.URL.Query(), v.Now)
	v.Query, v.Heading, v.AsOf = v.Asked.Q, "-", markOf(v.Now)
	v.Part = web.PageOf(r, a.rows())
	v.Undo = undoOf(r, v.Shell, listPathIn(v.ProjectID)+v.Asked.Query()+partQuery(v.Part))
	v.Files = p.exportLinks(v)
	v.Comfortable, v.Compact = p.listAddress(v.ProjectID, v.Asked.as("")), p.listAddress(v.ProjectID, v.Asked.as("compact"))
	if err := p.readFound(r, v); err != nil {
		return nil, err
	}
	if err := p.readColumns(r, v); err != nil {
		return nil, err
	}
	if err := p.readChoices(r, v); err != nil {
		return nil, err
	}
	return v, p.readFacets(r, v)
}

// as returns the same list with another density.
func (a asked) as(view string) asked {
	a.View = view
	return a
}

func (p *pages) listAddress(project int64, a asked) string {
	return p.At(listPathIn(project)) + a.Query()
}

// tabWords are the labels of the tabs.
var tabWords = map[faults.FaultTab]string{
	faults.UnresolvedTab: "Unresolved", faults.NewTab: "New since deploy", faults.MineTab: "Mine", faults.ResolvedTab: "Resolved", faults.IgnoredTab: "Ignored",
}

func (p *pages) tabs(project int64, a asked, tabs faults.FaultTabs) (found []tab) {
	for _, t := range faults.FaultTabOrder {
		word, there := tabWords[t], a
		if t == faults.NewTab && tabs.Deployed.IsZero() {
			word = "New today"
		}
		there.Q = t.Query()
		found = append(found, tab{word, p.listAddress(project, there), tabs.Count(t), t != faults.ResolvedTab && t != faults.IgnoredTab, there.Q == a.Q})
	}
	return found
}

// tabOf returns the tab whose search this is, or "".
func tabOf(q string) faults.FaultTab {
	for _, t := range faults.FaultTabOrder {
		if t.Query() == q {
			return t
		}
	}
	return ""
}

// readChoices reads the options of the filters and the possible assignees.
func (p *pages) readChoices(r *http.Request, v *list) error {
	v.Orders = web.Choices("", "Most recent", "frequent", "Most frequent", "newest", "Newest")
	if v.ProjectID == 0 {
		v.readProjects()
		return nil
	}
	project, err := p.Accounts.ProjectWithoutCounts(r.Context(), v.ProjectID)
	if err != nil {
		return err
	}
	v.Environments = web.Choices("", "All environments")
	for _, e := range project.Environments {
		v.Environments = append(v.Environments, web.Choice{Value: e, Label: e})
	}
	v.People = peopleOf(project)
	return nil
}

// readFound reads the faults that match the search, with what is shown beside and above them.
func (p *pages) readFound(r *http.Request, v *list) error {
	search, wrong := v.search.Search()
	filter, ofTab := v.Asked.filterOf(search, v.User.ID), tabOf(v.Asked.Q)
	l := searchdb.ListQuery{Projects: v.projects(), UserID: v.User.ID, Environment: v.Asked.Environment, Page: searchdb.Page{Order: v.Asked.order(), Page: v.Part, Counted: ofTab == ""}}
	if wrong == "" {
		l.Filter = &filter
	} else {
		p.showWrong(v)
	}
	found, err := p.Search.ReadList(r.Context(), v.Now, l)
	if err != nil {
		return err
	}
	v.order = found.Projects
	v.Tabs, v.Saved, v.Part = p.tabs(v.ProjectID, v.Asked, found.Tabs), p.saved(r, v, found.Saved), found.Part
	if wrong == "" {
		v.Pager = p.NewPager(r, found.Marks)
		v.count(found, ofTab)
		p.showFound(v, search, found)
	}
	return p.markOpen(r, v)
}

// markOpen marks the errors of a list that an open change is about.
func (p *pages) markOpen(r *http.Request, v *list) error {
	var ids []int64
	for _, one := range v.Rows {
		ids = append(ids, one.ID)
	}
	open, err := p.Repos.OpenAmong(r.Context(), ids)
	for i, one := range v.Rows {
		if open[one.ID] {
			v.Rows[i].Badges = append(one.Badges, web.State{Mood: web.Info, Word: "Change open"})
		}
	}
	return err
}

// showWrong sets what a list says about a wrong search.
func (p *pages) showWrong(v *list) {
	text, term, meant := v.search.Wrong()
	if v.Wrong = text; term != "" {
		there := v.Asked
		there.Q = meant.String()
		v.Meant = web.Choice{Value: p.listAddress(v.ProjectID, there), Label: cut(term, 80)}
	}
}

// showFound sets what a list shows of the faults that match its search.
func (p *pages) showFound(v *list, search query.Search, found searchdb.List) {
	v.Affected = affectedBy(search)
	v.Pager.Export = web.ExportLinks{} // they are in the menu
	v.Unsearched = p.unsearched(v, search, found.Found)
	v.Empty = p.emptyList(v)
	if term := likeKey(search); term != "" {
		v.Empty.Text = "No errors match this search. “" + cut(term, 80) + "” is not a filter, so it was searched as text in class and message."
	}
	if found.Prev == "" && v.ProjectID != 0 {
		v.Live = p.liveAddress(v)
	}
	v.showRows(found, search)
}

// count sets how many faults match: above the list, or below it if a tab above shows the number.
func (v *list) count(found searchdb.List, ofTab faults.FaultTab) {
	text, paged := web.UpTo(searchdb.MostCountedFaults, found.Total), found.Next != "" || found.Prev != ""
	if ofTab != "" {
		text = web.Number(found.Tabs.Count(ofTab))
	}
	if paged {
		v.Matching = text
	}
	switch shown := slices.ContainsFunc(v.Tabs, func(t tab) bool { return t.Here && t.Counted }); {
	case shown && paged:
		v.Pager.Note = web.Number(int64(len(found.Faults))) + " of " + text
	case !shown && len(found.Faults) > 0:
		if v.Total = text + " errors"; text == "1" {
			v.Total = "1 error"
		}
	}
}

// unsearched is what a search by fields of events could not read.
type unsearched struct {
	Since   time.Time // if it ran out of time: all events since then were searched
	Older   string    // address of the search for older events, "" if the search names times itself
	Damaged bool      // some stored events cannot be read
	Away    bool      // some are in object storage, which does not respond
}

func (p *pages) unsearched(v *list, s query.Search, found searchdb.Found) *unsearched {
	if found.Since.IsZero() && found.Unread == 0 && found.Away == 0 {
		return nil
	}
	u := &unsearched{Since: found.Since, Damaged: found.Unread > 0, Away: found.Away > 0}
	if !u.Since.IsZero() && !slices.ContainsFunc(s.Terms, func(t query.Term) bool { return t.Key == query.Occurred }) {
		older := v.Asked
		older.Q += u.Since.Add(time.Minute).UTC().Format(` occurred.before:"2006-01-02 15:04"`)
		u.Older = p.listAddress(v.ProjectID, older)
	}
	return u
}

// affectedBy returns the path of the page of the one user that a search asks for, or "".
func affectedBy(s query.Search) string {
	for _, t := range s.Terms {
		if t.Key == query.User && !t.Negated && len(t.Values) == 1 && !t.Values[0].Wildcard() {
			return web.AffectedUser(t.Values[0].Text)
		}
	}
	return ""
}

// likeKey returns the first text of a search that looks like a key with a value, or "".
func likeKey(s query.Search) string {
	for _, t := range s.Terms {
		for _, v := range t.Values {
			if t.Key == query.Text && keyAndValue.MatchString(v.Text) {
				return v.Text
			}
		}
	}
	return ""
}

var keyAndValue = regexp.MustCompile(`^[a-z_.]+:[^\s/:]`)

func (p *pages) emptyList(v *list) web.Empty {
	if !v.Asked.Given && v.Nav.Unresolved == 0 && v.ProjectID != 0 {
		return web.Empty{
			Title: "No unresolved errors", Text: "Errors that your apps report appear here, grouped by their cause. Set up a client to send the first one.",
			Action: "Set up a client", Link: p.At(fmt.Sprintf("/projects/%d/setup", v.ProjectID)), Manual: p.At("/docs/concepts"),
		}
	}
	return web.Empty{
		Title: "No matching errors", Text: "No errors match this search. Remove some terms, or select all environments.",
		Action: "Show unresolved errors", Link: p.At(listPathIn(v.ProjectID)), Manual: p.At("/docs/search"),
	}
}

// Pauses are the options for the length of a pause.
func (v list) Pauses() []web.Choice { return pauses() }
