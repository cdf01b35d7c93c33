package fault

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
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
	asOf      string      // names the fault with its events: it changes with each event, and when a user was erased
	Paused    string      // until when it is paused; "" if it is not
	PausedBy  string      // who paused it until users or events
	KnownTags []string    // that the form for tags suggests
	Users     affected
	Period    stats.Period
	Chart     draw.Chart
	Change    []changeLine
	Common    []commonLine

	Explained bool // Change and Common were read
	Event     event
	Trace     trace
	History   []entry
	Later     string // URL of the later entries of the history
	Comment   web.Field
	Similar   []similar
	Links     []link
	Trackers  []web.Choice // trackers that a fault can be linked with
	Makers    []web.Choice // trackers that can create issues
	Parts     []part
	People    []web.Choice
	Issue     web.Field
	Share     share
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
	if name, format, ok := exportOf(r.PathValue("fault_id")); ok {
		return p.export(w, r, name, format)
	}
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

// viewFault reads the page of a fault: its head, and then what is below, a few sections at a time.
func (p *pages) viewFault(r *http.Request) (*faultView, error) {
	v, err := p.readHead(r)
	if err != nil {
		return nil, err
	}
	sections := []func(*http.Request, *faultView) error{ // what takes longest first
		p.readEvent,       // an event with its backtrace
		p.readExplanation, // what changed, and what events have in common
		p.readUsers,       // the most affected users
		p.readChart,       // occurrences, deploys and outages
		p.readHistory,     // comments and changes
		p.readSimilar,     // faults that may have the same cause
		p.readBadges,      // why the fault needs attention
		p.readTags,        // suggested tags
		p.readLinks,       // issues in trackers
		p.readParts,       // merged faults
		p.readShare,       // the public link
	}
	reads := make([]func() error, len(sections))
	for i, section := range sections {
		reads[i] = func() error { return section(r, v) }
	}
	return v, web.Together(reads...)
}

// readHead reads the fault, its project, and what all sections of the page need.
func (p *pages) readHead(r *http.Request) (*faultView, error) {
	ctx, project := r.Context(), web.Project(r)
	found, err := p.Faults.FaultByID(ctx, project, web.PathID(r, "fault_id"))
	if err != nil {
		return nil, err
	}
	v := &faultView{Shell: p.Shell(r, titleOf(found)).In("faults"), Fault: found, Place: requestPlace(r), Comment: commentField(p.Mail), Issue: issueField()}
	v.Heading, v.Query, v.Undo = "-", v.Place.Q, undoOf(r, v.Shell, v.Path()+v.Place.Query())
	if was, err := strconv.ParseUint(r.URL.Query().Get("was"), 10, 63); err == nil && r.URL.Query().Get("done") == "resolved_next" {
		v.Done = fmt.Sprintf("Error #%d is resolved. It reopens if it happens again.", was)
	}
	if v.Project, err = p.Accounts.ProjectWithoutCounts(ctx, project); err != nil {
		return nil, err
	}
	kept, err := p.keyOf(ctx, found)
	if err != nil {
		return nil, err
	}
	v.asOf = fmt.Sprint(kept, " ", found.NoticesCount)
	v.Paused, v.People = pausedUntil(found, v.Now), peopleOf(v.Project)
	v.Seen, v.live = seenOf(found, v.Paused != ""), p.At(v.Path()+"/live")
	return v, p.readPause(r, v)
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

// readSimilar finds faults of the same class or of the same place in the code.
func (p *pages) readSimilar(r *http.Request, v *faultView) error {
	found, err := p.Faults.SimilarFaults(r.Context(), v.Fault.ProjectID, v.Fault.ID, mostSimilar)
	for _, f := range found {
		title := orWord(f.Message, f.Class)
		if f.Class != v.Fault.Class {
			title = orWord(f.Class, "Error") + ": " + f.Message
		}
		v.Similar = append(v.Similar, similar{
			faultAddress(f.ProjectID, f.ID), cut(title, 80), cut(strings.Trim(f.Component+"#"+f.Action, "#"), 80), f.NoticesCount, stateOf(f.FaultState, pausedUntil(f, v.Now) != ""),
		})
	}
	return err
}
