package fault

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/store/faultdb"
	"sett/internal/store/sheet"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// faultView is the page of a fault. Its parts are read together, so its methods must not copy it.
type faultView struct {
	web.Shell
	Project   accounts.Project
	Fault     faults.Fault
	Place     place
	Seen      seen
	Said      string      // read to users of screen readers, in a part of the page that is live
	Badges    []web.State // besides the state
	live      string      // path of its stream
	address   string      // URL of the page, without its place
	erased    string      // faultdb.ErasureState
	asOf      string      // names the fault with its events: it changes with each event, and when a user was erased
	Releases  faultdb.FaultReleases
	Paused    string   // until when it is paused; "" if it is not
	PausedBy  string   // who paused it until users or events
	KnownTags []string // that the form for tags suggests
	Users     affected
	Period    stats.Period
	Chart     draw.Chart
	Small     draw.Chart // the same without texts
	Zoomed    bool       // the large chart is shown
	Spot      spot
	Trend     *trend // nil in live parts
	UserTrend *trend // likewise
	First     named
	Last      named
	Change    []changeLine
	Breakdown breakdown

	SameRequest []sameRequest

	Explained bool // Change and Breakdown were read
	Event     event
	Trace     trace
	History   []chapter
	Earlier   string // URL of the earlier entries of the history; "" for none
	Reads     bool   // the user asked for a part of the history
	Comment   web.Field
	Similar   []similar
	Links     []link
	Suspect   *suspect     // nil: none is known
	Code      *code        // nil: the project has no repository
	Trackers  []web.Choice // trackers that a fault can be linked with
	Makers    []web.Choice // trackers that can create issues
	Parts     []part
	Messages  messages
	People    []web.Choice
	Issue     web.Field
	Share     share
	Following following
	Ongoing   *web.Ongoing // nil: it is resolved or ignored
}

// Path returns the path of the fault, below which its forms are.
func (v *faultView) Path() string { return faultAddress(v.Fault.ProjectID, v.Fault.ID) }

// List returns the path of the list of faults.
func (v *faultView) List() string { return v.Place.listPathOf(v.Fault.ProjectID) }

// Periods are the options of the chart.
func (v *faultView) Periods() []stats.Period {
	return []stats.Period{stats.PastHour, stats.PastDay, stats.PastWeek, stats.PastMonth}
}

// Word returns the label of a period.
func (v *faultView) Word(p stats.Period) string {
	return strings.ToUpper(string(p[:1])) + string(p[1:])
}

// State returns the state of the fault.
func (v *faultView) State() web.State { return stateOf(v.Fault.FaultState, v.Paused != "") }

// ResolvedIn returns the release in which the fault is resolved, if any.
func (v *faultView) ResolvedIn() named {
	if v.Fault.ResolvedIn == "" {
		return named{}
	}
	return namedRelease(v.Fault.ProjectID, v.Fault.ResolvedIn)
}

// Newest returns the release in which the fault can be resolved, if any.
func (v *faultView) Newest() named { return named{Revision: v.Releases.Newest} }

// stateOf returns the most relevant state of a fault.
func stateOf(s faults.FaultState, paused bool) web.State {
	switch {
	case s.Ignored:
		return web.State{Mood: web.Muted, Word: "Ignored"}
	case s.Resolved:
		return web.State{Mood: web.Fine, Word: "Resolved"}
	case paused:
		return web.State{Mood: web.Paused, Word: "Paused"}
	case s.ResolveOnDeploy:
		return web.State{Mood: web.Info, Word: "Resolves on deploy"}
	default:
		return web.State{Mood: web.Critical, Word: "Unresolved"}
	}
}

func faultAddress(project, fault int64) string {
	return fmt.Sprintf("/projects/%d/faults/%d", project, fault)
}

// address returns the path of the fault of a request, with its place.
func address(r *http.Request) string {
	return faultAddress(web.Project(r), web.PathID(r, "fault_id")) + requestPlace(r).Query()
}

func (p *pages) faultPage(w http.ResponseWriter, r *http.Request) error {
	view, err := p.viewFault(r)
	if err != nil {
		return p.orMerged(w, r, err, web.PathID(r, "fault_id"), "")
	}
	p.rememberTrace(w, r)
	return p.Show(w, r, http.StatusOK, "fault", view)
}

// orMerged redirects from a fault that was merged to the one that it was merged into; rest is the path after the fault.
func (p *pages) orMerged(w http.ResponseWriter, r *http.Request, missing error, fault int64, rest string) error {
	if sett.CodeOf(missing) != sett.NotFound || fault == 0 {
		return missing
	}
	into, err := p.Faults.MergedInto(r.Context(), web.Project(r), fault)
	if err != nil {
		return missing
	}
	if r.URL.RawQuery != "" {
		rest += "?" + r.URL.RawQuery
	}
	return p.Redirect(w, faultAddress(web.Project(r), into)+rest)
}

// viewFault makes the page of a fault of its sheet, and reads besides what is kept between requests.
func (p *pages) viewFault(r *http.Request) (*faultView, error) {
	s, err := p.Sheets.OfFault(r.Context(), p.NowFor(r), askOf(r))
	if err != nil {
		return nil, err
	}
	v := p.newFaultView(r, &s)
	v.showEvent(&s)
	v.showChart(&s)
	v.showFigures(&s)
	v.showHistory(&s, web.ScopeOf(r))
	v.showIssues(&s)
	v.showCode(&s)
	v.showOthers(&s)
	v.showMessages(s.Said)
	return v, web.Together(
		func() error { return p.readTrace(r, v) },
		func() error { return p.readExplanation(r, v) },
		func() error { return p.readSameRequest(r, v) },
		func() error { return p.readUsers(r, v) },
		func() error { return p.readUserTrend(r, v) },
		func() error { return p.readTags(r, v) },
		func() (err error) {
			v.Ongoing, err = p.OngoingOf(r, v.Shell, alerts.FaultSubject(v.Fault.ID))
			return err
		},
		func() error { return p.readSuspect(r, v, s.Before) },
	)
}

// askOf says which sheet the page of a request shows.
func askOf(r *http.Request) sheet.FaultAsk {
	query := r.URL.Query()
	return sheet.FaultAsk{
		SheetAsk: faultdb.SheetAsk{
			ProjectID: web.Project(r), FaultID: web.PathID(r, "fault_id"), UserID: web.Who(r).User.ID, Notice: query.Get("notice"), Period: periodOf(r),
			History: sett.Page{Size: mostEntries, Mark: query.Get("history"), Back: true}, Similar: mostSimilar,
		},
		Trackers: web.ScopeOf(r).May(accounts.WorkFaults),
	}
}

// newFaultView returns the head of the page.
func (p *pages) newFaultView(r *http.Request, s *sheet.Fault) *faultView {
	v := &faultView{
		Shell: p.Shell(r, titleOf(s.Fault)).In("faults"), Fault: s.Fault, Project: s.Project, Place: requestPlace(r), Period: periodOf(r),
		Badges: reasonBadges(s.Reasons, ""), Share: shareOf(s), Comment: commentField(p.Mail), Issue: issueField(), Zoomed: zoomed(r), Reads: r.URL.Query().Has("history"),
	}
	v.Following = followingOf(s, v.User.ID)
	v.People = assigneesOf(s.Project, v.User.ID, s.Fault.Assignee)
	v.Heading, v.Query, v.Undo = "-", v.Place.Q, undoOf(r, v.Shell, v.Path()+v.Place.Query())
	if was, err := strconv.ParseUint(r.URL.Query().Get("was"), 10, 63); err == nil && r.URL.Query().Get("done") == "resolved_next" {
		v.Done = fmt.Sprintf("Error #%d is resolved. It reopens if it happens again.", was)
	}
	v.erased, v.address = s.Erased, p.At(v.Path())
	v.asOf = fmt.Sprint(keyOf(s.Fault, s.Erased), " ", s.Fault.NoticesCount)
	v.showPause(s)
	v.Releases = s.Releases
	v.Seen, v.live = seenOf(s.Fault, v.Paused != ""), v.address+"/live"
	return v
}

// titleOf returns the title of a fault.
func titleOf(f faults.Fault) string { return cut(orWord(f.Class, "Error")+": "+f.Message, 120) }

func orWord(text, word string) string {
	if strings.TrimSpace(text) == "" {
		return word
	}
	return text
}

// peopleOf returns the possible assignees of faults of the project.
func peopleOf(p accounts.Project) []web.Choice {
	people := []web.Choice{{Value: "", Label: "Unassigned"}}
	for _, u := range p.Users {
		people = append(people, web.Choice{Value: fmt.Sprint(u.ID), Label: u.Called()})
	}
	return append(people, teamsOf(p, nil)...)
}

// teamsOf returns the teams that faults of the project can be assigned to, but for the one that has the fault now.
func teamsOf(p accounts.Project, now *sett.Person) (teams []web.Choice) {
	for _, t := range p.Teams {
		if now == nil || now.ID != -t.ID {
			teams = append(teams, web.Choice{Value: fmt.Sprint(-t.ID), Label: "Team " + t.Name})
		}
	}
	return teams
}

// assigneesOf returns whom a fault of the project can be assigned to: first the user, then the others and the teams, at last that it is unassigned, and not who has it.
func assigneesOf(p accounts.Project, me int64, now *sett.Person) (people []web.Choice) {
	for _, u := range p.Users {
		switch {
		case now != nil && u.ID == now.ID:
		case u.ID == me:
			people = slices.Insert(people, 0, web.Choice{Value: fmt.Sprint(u.ID), Label: "Assign to me"})
		default:
			people = append(people, web.Choice{Value: fmt.Sprint(u.ID), Label: u.Called()})
		}
	}
	people = append(people, teamsOf(p, now)...)
	if now != nil {
		people = append(people, web.Choice{Value: "", Label: "Unassign"})
	}
	return people
}

// similar is another fault that may have the same cause.
type similar struct {
	Path, Title string
	Where       string // component and action
	Count       int64
	State       web.State
}

// mostSimilar is how many similar faults a page lists.
const mostSimilar = 5

// showOthers shows faults that may have the same cause, and those that were merged into this one.
func (v *faultView) showOthers(s *sheet.Fault) {
	for _, f := range s.Similar {
		title := orWord(f.Message, f.Class)
		if f.Class != v.Fault.Class {
			title = orWord(f.Class, "Error") + ": " + f.Message
		}
		v.Similar = append(v.Similar, similar{
			faultAddress(f.ProjectID, f.ID), cut(title, 80), cut(strings.Trim(f.Component+"#"+f.Action, "#"), 80), f.NoticesCount, stateOf(f.FaultState, pausedUntil(f, v.Now) != ""),
		})
	}
	for _, part := range s.Parts {
		v.Parts = append(v.Parts, newPart(part))
	}
}
