package settings

import (
	"net/http"
	"strconv"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/regroup"
	"sett/internal/web"
)

// groupingPage is the page of the rules that correct grouping.
type groupingPage struct {
	page
	Fields   web.Fields
	Seen     string // the rules as they were when the form was shown
	Preview  *groupingPreview
	Versions []groupingVersion // the newest first
}

// groupingVersion is a version of the rules.
type groupingVersion struct {
	ID     int64
	At     web.Moment
	By     string
	Lines  int64 // that are rules
	Rules  string
	Joined int64
	Undo   string // what undoing it does; "" if it is not the newest
}

func (p *pages) newGroupingPage(r *http.Request, rules, seen string) (*groupingPage, error) {
	versions, err := p.Accounts.GroupingVersions(r.Context(), web.Project(r))
	if err != nil {
		return nil, err
	}
	shown := &groupingPage{
		page: p.newPage(r, "Grouping", "grouping"), Seen: seen,
		Fields: web.Fields{
			{Name: "rules", Label: "Rules", Kind: "area", Lines: 12, Value: rules, Optional: true, Code: true, Hint: "One rule per line. * stands for any text. A pattern matches files and functions, from any / or . on. The last rule that matches decides."},
		},
	}
	for i, v := range versions {
		row := groupingVersion{ID: v.ID, At: shown.Moment(v.At), By: v.By.Called(), Lines: linesOf(v.Rules), Rules: v.Rules, Joined: v.Joined}
		if i == 0 {
			row.Undo = "Restore the previous rules"
		}
		shown.Versions = append(shown.Versions, row)
	}
	return shown, nil
}

// linesOf returns how many rules a text has.
func linesOf(rules string) (n int64) {
	for line := range strings.Lines(rules) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			n++
		}
	}
	return n
}

func (p *pages) groupingPage(w http.ResponseWriter, r *http.Request) error {
	settings, err := p.Accounts.Grouping(r.Context(), web.Project(r))
	if err != nil {
		return err
	}
	shown, err := p.newGroupingPage(r, settings.Rules, settings.Rules)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "settings_grouping", shown)
}

// sentRules are the rules of a form, and those that the user saw when it was shown.
type sentRules struct {
	rules, seen string
	merge       bool // errors that join are merged
}

func readRules(w http.ResponseWriter, r *http.Request) (s sentRules, err error) {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return s, err
	}
	plain := func(name string) string {
		return strings.TrimRight(strings.ReplaceAll(form.Get(name), "\r\n", "\n"), "\n ")
	}
	return sentRules{plain("rules"), plain("seen"), form.Get("apply") == "past"}, nil
}

// tryForm reads the rules of a form and tries them. The error is Invalid if they cannot be used.
func (p *pages) tryForm(w http.ResponseWriter, r *http.Request) (sent sentRules, outcome *tried, err error) {
	if sent, err = readRules(w, r); err != nil {
		return sent, nil, err
	}
	rules, err := regroup.Parse(sent.rules)
	if err != nil {
		return sent, nil, err
	}
	outcome, err = p.tryRules(r, rules)
	return sent, outcome, err
}

// groupingAgain shows the form again with what is wrong.
func (p *pages) groupingAgain(w http.ResponseWriter, r *http.Request, sent sentRules, err error) error {
	if sett.CodeOf(err) != sett.Invalid {
		return err
	}
	again, failed := p.newGroupingPage(r, sent.rules, sent.seen)
	if failed != nil {
		return failed
	}
	again.Fields.Explain(sett.ProblemsOf(err))
	return p.Again(w, r, err, "settings_grouping", again)
}

// previewGrouping shows what the rules of the form would do with recent events.
func (p *pages) previewGrouping(w http.ResponseWriter, r *http.Request) error {
	sent, tried, err := p.tryForm(w, r)
	if err != nil {
		return p.groupingAgain(w, r, sent, err)
	}
	shown, err := p.newGroupingPage(r, sent.rules, sent.seen)
	if err != nil {
		return err
	}
	if shown.Preview, err = p.newGroupingPreview(r, tried); err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "settings_grouping", shown)
}

// saveGrouping applies the rules of the form to new events, and merges the errors that join, if that is asked for.
func (p *pages) saveGrouping(w http.ResponseWriter, r *http.Request) error {
	sent, tried, err := p.tryForm(w, r)
	if err != nil {
		return p.groupingAgain(w, r, sent, err)
	}
	now, project, user := p.Now(), web.Project(r), web.Who(r).User.ID
	merges := tried.merges()
	if !sent.merge {
		merges = nil
	}
	if err := p.Accounts.UpdateGrouping(r.Context(), now, user, project, sent.seen, sent.rules, merges.count()); err != nil {
		return err
	}
	if err := p.Faults.AdoptKeys(r.Context(), now, project, tried.adopted()); err != nil {
		return err
	}
	p.Keys.Forget() // intake reads the settings with the key
	for into, others := range merges {
		if _, err := p.Faults.MergeFaults(r.Context(), now, user, project, others, into); err != nil && sett.CodeOf(err) == "" {
			return err
		}
	}
	return p.Done(w, to(r, "/grouping"), "regrouped")
}

// undoGrouping restores the rules before the newest version, and splits off what that has merged.
func (p *pages) undoGrouping(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	versions, err := p.Accounts.GroupingVersions(r.Context(), web.Project(r))
	if err != nil {
		return err
	}
	if len(versions) == 0 || strconv.FormatInt(versions[0].ID, 10) != form.Get("version") {
		return sett.Errorf(sett.Conflict, "The rules have been changed again since. Reload the page and try again.")
	}
	newest, before := versions[0], ""
	if len(versions) > 1 {
		before = versions[1].Rules
	}
	now, project, user := p.Now(), web.Project(r), web.Who(r).User.ID
	if err := p.Accounts.UpdateGrouping(r.Context(), now, user, project, newest.Rules, before, 0); err != nil {
		return err
	}
	p.Keys.Forget()
	if newest.Joined > 0 {
		if _, err := p.Faults.SplitMerged(r.Context(), now, user, project, newest.By.ID, newest.At); err != nil {
			return err
		}
	}
	return p.Done(w, to(r, "/grouping"), "regrouped_back")
}
