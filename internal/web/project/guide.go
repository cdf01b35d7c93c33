package project

import (
	"fmt"
	"net/http"
	"slices"

	"sett/internal/sett/accounts"
	"sett/internal/store/sheet"
	"sett/internal/web"
)

// guide is the card with the next steps of a project that has just begun.
type guide struct {
	Done  int
	Steps []step
}

// step is one of them: what to do, why, and where.
type step struct {
	Is, Why, Action, Path string
	State                 web.State
	Done                  bool
}

// readGuide returns the next steps of a project, for those who may take them; nil before the first event, when all are done, or when the card was dismissed.
func (p *pages) readGuide(r *http.Request, s web.Shell) (*guide, error) {
	if !s.May(accounts.ManageProject) {
		return nil, nil
	}
	found, err := p.Sheets.OfGuide(r.Context(), web.Project(r))
	if err != nil || found.Closed || !found.Began {
		return nil, err
	}
	return guideOf(found, s.Nav.Project, p.Mail), nil
}

// guideOf returns the steps of a project; mail says that the server sends email, which notifies people by default.
func guideOf(found sheet.Guide, project accounts.NamedProject, mail bool) *guide {
	at := func(rest string) string { return fmt.Sprintf("/projects/%d/%s", project.ID, rest) }
	g := &guide{Steps: []step{
		{Is: "Get notified", Why: "No one is notified of new errors.", Action: "Add channel", Path: at("settings/channels/new"), Done: found.Channel || mail},
		{Is: "Invite your team", Why: "Assign errors and discuss them.", Action: "Invite", Path: fmt.Sprintf("/accounts/%s/people", project.AccountID), Done: found.People},
		{Is: "Record deploys", Why: "See which deploy caused an error.", Action: "Show how", Path: at("setup#more"), Done: found.Deploys},
		{Is: "Watch a site", Why: "Know when it goes down.", Action: "Create site", Path: at("sites/new"), Done: found.Sites},
	}}
	if slices.Contains([]string{"js", "node"}, found.Language) {
		g.Steps = append(g.Steps, step{Is: "Upload source maps", Why: "Read your original code in traces.", Action: "Show how", Path: at("settings/source-maps"), Done: found.SourceMaps})
	}
	for i := range g.Steps {
		g.Steps[i].State = stepState(i, g.Steps[i].Done)
		if g.Steps[i].Done {
			g.Done++
		}
	}
	if g.Done == len(g.Steps) {
		return nil
	}
	return g
}

// stepState colors the first step, without which errors go unseen, as a problem.
func stepState(i int, done bool) web.State {
	switch {
	case done:
		return web.State{Mood: web.Fine, Word: "done"}
	case i == 0:
		return web.State{Mood: web.Critical, Word: "not set up"}
	}
	return web.State{Mood: web.Muted, Word: "to do"}
}

func (p *pages) closeGuide(w http.ResponseWriter, r *http.Request) error {
	if err := p.Accounts.CloseGuide(r.Context(), web.Project(r)); err != nil {
		return err
	}
	return p.Done(w, fmt.Sprintf("/projects/%d", web.Project(r)), "guide_closed")
}
