package fault

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"sett/internal/event/query"
	"sett/internal/ingest/group"
	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/searchdb"
	"sett/internal/web"
)

// mergeView is the page on which users pick the error that another one is merged into.
type mergeView struct {
	web.Shell
	Fault      faults.Fault
	Find       string // the search for others
	Wrong      string // what is wrong with it
	Candidates []mergeCandidate
	Into       web.Field
}

// Path is the address of the fault.
func (v mergeView) Path() string { return faultAddress(v.Fault.ProjectID, v.Fault.ID) }

// mergeCandidate is an error that another one can be merged into.
type mergeCandidate struct {
	mergeRow
	Lines []group.Line // of both groupings
	Apart string       // the inputs that differ
	like  float64
}

// mergeRow is an error that can be merged.
type mergeRow struct {
	faults.Fault
	Path, Where string
	Seen        web.Moment
	State       web.State
}

func newMergeRow(s web.Shell, f faults.Fault) mergeRow {
	f.Class, f.Message = cut(orWord(f.Class, "Error"), 120), cut(f.Message, 240)
	return mergeRow{
		f, faultAddress(f.ProjectID, f.ID), cut(strings.Trim(f.Component+"#"+f.Action, "#"), 100), s.Moment(f.LastNoticeAt),
		stateOf(f.FaultState, pausedUntil(f, s.Now) != ""),
	}
}

const (
	mostCandidates = 10
	mostCompared   = 50 // of those that are looked at
)

func (p *pages) mergePage(w http.ResponseWriter, r *http.Request) error {
	view, err := p.viewMerge(r)
	if err != nil {
		return p.orMerged(w, r, err, web.PathID(r, "fault_id"), "/merge")
	}
	return p.Show(w, r, http.StatusOK, "fault_merge", view)
}

// mergeAgain shows the page with what is wrong with the choice.
func (p *pages) mergeAgain(w http.ResponseWriter, r *http.Request, wrong error, sent string) error {
	if sett.CodeOf(wrong) != sett.Invalid && sett.CodeOf(wrong) != sett.Conflict {
		return wrong
	}
	view, err := p.viewMerge(r)
	if err != nil {
		return err
	}
	view.Here = view.Path() + "/merge"
	view.Address = view.Here
	view.Into.Value, view.Into.Problem = cut(sent, 200), web.PlainMessage(wrong.Error())
	return p.Again(w, r, wrong, "fault_merge", view)
}

// viewMerge reads the candidates for a merge: the most similar errors, or those that match a search.
func (p *pages) viewMerge(r *http.Request) (*mergeView, error) {
	found, err := p.Faults.FaultByID(r.Context(), web.Project(r), web.PathID(r, "fault_id"))
	if err != nil {
		return nil, err
	}
	v := &mergeView{Shell: p.Shell(r, "Merge error").In("faults"), Fault: found, Find: strings.TrimSpace(r.URL.Query().Get("find"))}
	v.Into = web.Field{Name: "into_id", Label: "Or the number or URL of an error", Kind: "text"}
	var others []faults.Fault
	if v.Find == "" {
		others, err = p.Faults.SimilarFaults(r.Context(), found.ProjectID, found.ID, mostCompared)
	} else {
		others, err = p.findToMerge(r, v)
	}
	if err != nil {
		return nil, err
	}
	others = slices.DeleteFunc(others, func(f faults.Fault) bool { return f.ID == found.ID || f.Environment != found.Environment })
	return v, p.compare(r, v, others)
}

// findToMerge returns the errors of the same environment that match a search.
func (p *pages) findToMerge(r *http.Request, v *mergeView) ([]faults.Fault, error) {
	var problems sett.Problems
	filter := searchdb.Filter{Search: sett.CheckSearch(&problems, "find", v.Find, v.Now), AskedBy: v.User.ID}
	if len(problems) > 0 {
		v.Wrong = strings.TrimPrefix(problems[0], "find ")
		return nil, nil
	}
	filter.Search.Terms = append(filter.Search.Terms, query.Term{Key: query.Environment, Values: []query.Value{{Text: v.Fault.Environment}}})
	page, err := p.Search.SearchFaults(r.Context(), v.Now, v.Fault.ProjectID, filter, searchdb.Page{Order: searchdb.Recent, Page: sett.Page{Size: mostCompared}})
	return page.Faults, err
}

// compare sets the candidates, the most similar ones first.
func (p *pages) compare(r *http.Request, v *mergeView, others []faults.Fault) error {
	ids := []int64{v.Fault.ID}
	for _, f := range others {
		ids = append(ids, f.ID)
	}
	groupings, err := p.Faults.GroupingsOf(r.Context(), v.Fault.ProjectID, ids)
	if err != nil {
		return err
	}
	this := subjectOf(v.Fault, groupings[v.Fault.ID])
	for _, f := range others {
		that := subjectOf(f, groupings[f.ID])
		c := mergeCandidate{mergeRow: newMergeRow(v.Shell, f), Lines: group.Compare(this.Grouping, that.Grouping), like: group.Likeness(this, that)}
		c.Apart = apart(c.Lines)
		v.Candidates = append(v.Candidates, c)
	}
	slices.SortStableFunc(v.Candidates, func(a, b mergeCandidate) int { return cmp.Compare(b.like, a.like) })
	v.Candidates = v.Candidates[:min(len(v.Candidates), mostCandidates)]
	return nil
}

func subjectOf(f faults.Fault, grouping string) group.Subject {
	s := group.Subject{Class: f.Class, Component: f.Component, Message: f.Message}
	_ = json.Unmarshal([]byte(grouping), &s.Grouping) // an unreadable one has no inputs
	return s
}

// apart says which inputs of two groupings differ.
func apart(lines []group.Line) string {
	var names []string
	for _, l := range lines {
		if !l.Same() {
			names = append(names, strings.ToLower(l.Name))
		}
	}
	if len(names) == 0 {
		return "No stored difference. Only the first 500 characters of each text are kept."
	}
	return "Kept apart by: " + strings.Join(names, ", ")
}

// mergeLot is the page on which users pick which of the selected errors stays.
type mergeLot struct {
	web.Shell
	ProjectID int64
	Asked     asked
	Part      sett.Page
	AsOf      string
	Rows      []mergeRow // that with the most events first
	Apart     string     // the environments, if they differ
	Back      string
}

// mostMerged is how many errors one bulk merge takes.
const mostMerged = 50

// mergeMany merges the selected errors into one of them, which it first asks for.
func (p *pages) mergeMany(w http.ResponseWriter, r *http.Request, b bulk, into int64) error {
	if err := b.checkMerge(); err != nil {
		return p.listAgain(w, r, b.asked, err, nil)
	}
	if into == 0 {
		return p.chooseSurvivor(w, r, b)
	}
	now := p.Now()
	done, err := p.Faults.MergeFaults(r.Context(), now, web.Who(r).User.ID, web.Project(r), b.ids, into)
	if err != nil {
		return p.listAgain(w, r, b.asked, err, nil)
	}
	word := "bulk_merged"
	switch {
	case done.Nested:
		word = "bulk_merged_parts"
	case done.Left > 0:
		word += "_some"
	}
	to := listPathIn(web.Project(r)) + b.Query() + partQuery(b.part)
	return p.doneAt(w, to, word+counted(word, done.Changed), now, done.Changed > 0)
}

func (b bulk) checkMerge() error {
	switch {
	case b.all:
		return sett.Errorf(sett.Invalid, "Select the errors to merge one by one.")
	case len(b.ids) < 2:
		return sett.Errorf(sett.Invalid, "Select at least two errors to merge.")
	case len(b.ids) > mostMerged:
		return sett.Errorf(sett.Invalid, "Select at most %d errors to merge.", mostMerged)
	}
	return nil
}

func (p *pages) chooseSurvivor(w http.ResponseWriter, r *http.Request, b bulk) error {
	v := &mergeLot{Shell: p.Shell(r, "Merge errors").In("faults"), ProjectID: web.Project(r), Asked: b.asked, Part: b.part, AsOf: markOf(b.asOf)}
	v.Back, v.Address = p.listAddress(v.ProjectID, b.asked), listPathIn(v.ProjectID)
	found, err := p.Faults.FaultsByID(r.Context(), v.ProjectID, b.ids)
	if err != nil {
		return err
	}
	if len(found) < 2 {
		return p.listAgain(w, r, b.asked, sett.Errorf(sett.Invalid, "These errors no longer exist. Select others."), nil)
	}
	slices.SortStableFunc(found, func(a, b faults.Fault) int { return cmp.Compare(b.NoticesCount, a.NoticesCount) })
	var environments []string
	for _, f := range found {
		v.Rows, environments = append(v.Rows, newMergeRow(v.Shell, f)), append(environments, f.Environment)
	}
	slices.Sort(environments)
	if environments = slices.Compact(environments); len(environments) > 1 {
		v.Apart = strings.Join(environments, ", ")
	}
	return p.Show(w, r, http.StatusOK, "faults_merge", v)
}
