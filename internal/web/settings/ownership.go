package settings

import (
	"net/http"
	"strings"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/owner"
	"sett/internal/web"
)

// mostOwned is how many errors the preview of ownership rules shows.
const mostOwned = 25

// ownershipPage is the page of the rules that say who owns errors.
type ownershipPage struct {
	page
	Fields  web.Fields
	Unknown string // owners that are not known, as text; "" for none
	Preview *ownershipPreview
}

// ownershipPreview is whom rules name as the owners of recent errors.
type ownershipPreview struct{ Rows []ownedRow }

type ownedRow struct {
	FaultID                       int64
	Class, File, Owners, Assignee string
	Line                          int // of the rule; 0: none
}

func (p *pages) newOwnershipPage(r *http.Request, s owner.Settings) (*ownershipPage, owner.Directory, error) {
	directory, err := p.Accounts.ProjectOwners(r.Context(), web.Project(r))
	if err != nil {
		return nil, directory, err
	}
	return &ownershipPage{
		page: p.newPage(r, "Ownership", "ownership"),
		Fields: web.Fields{
			{Name: "rules", Label: "Rules", Kind: "area", Lines: 12, Value: s.Rules, Optional: true, Code: true, Hint: "One per line: a pattern of files, or component: and a component, then the owners. You can paste a CODEOWNERS file. The last rule that matches decides."},
			{Name: "notify_only_owners", Label: "Notify only the owners of new and reopened errors", Kind: "tick", On: s.OnlyOwners, Hint: "This applies to personal notifications. Channels receive all errors, and errors without an owner are for everyone."},
		},
		Unknown: strings.Join(directory.Unknown(s.Parsed()), ", "),
	}, directory, nil
}

func (p *pages) ownershipPage(w http.ResponseWriter, r *http.Request) error {
	settings, err := p.Accounts.Ownership(r.Context(), web.Project(r))
	if err != nil {
		return err
	}
	shown, _, err := p.newOwnershipPage(r, settings)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "settings_ownership", shown)
}

// ownershipChange reads the form.
func ownershipChange(w http.ResponseWriter, r *http.Request) (owner.OwnershipChange, error) {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return owner.OwnershipChange{}, err
	}
	rules := strings.ReplaceAll(form.Get("rules"), "\r\n", "\n")
	return owner.OwnershipChange{Rules: sett.Some(rules), OnlyOwners: sett.Some(form.Get("notify_only_owners") != "")}, nil
}

func (p *pages) saveOwnership(w http.ResponseWriter, r *http.Request) error {
	change, err := ownershipChange(w, r)
	if err != nil {
		return err
	}
	if err := p.Accounts.UpdateOwnership(r.Context(), web.Project(r), change); err != nil {
		return p.ownershipAgain(w, r, change, err)
	}
	return p.Done(w, to(r, "/ownership"), "saved")
}

// ownershipAgain shows the form again with what is wrong.
func (p *pages) ownershipAgain(w http.ResponseWriter, r *http.Request, change owner.OwnershipChange, err error) error {
	if sett.CodeOf(err) != sett.Invalid {
		return err
	}
	sent, _ := change.Apply(owner.Settings{})
	again, _, failed := p.newOwnershipPage(r, sent)
	if failed != nil {
		return failed
	}
	again.Fields.Explain(sett.ProblemsOf(err))
	return p.Again(w, r, err, "settings_ownership", again)
}

// previewOwnership shows whom the rules of the form name as the owners of recent errors.
func (p *pages) previewOwnership(w http.ResponseWriter, r *http.Request) error {
	change, err := ownershipChange(w, r)
	if err != nil {
		return err
	}
	settings, err := change.Apply(owner.Settings{})
	if err != nil {
		return p.ownershipAgain(w, r, change, err)
	}
	newest, err := p.Faults.NewestBodies(r.Context(), web.Project(r), mostOwned)
	if err != nil {
		return err
	}
	shown, directory, err := p.newOwnershipPage(r, settings)
	if err != nil {
		return err
	}
	shown.Preview = &ownershipPreview{}
	for _, body := range newest {
		if notice, err := payload.Read(body.Body, ""); err == nil {
			row := newOwnedRow(settings.Parsed(), directory, owner.PlaceOf(notice))
			row.FaultID, row.Class = body.FaultID, body.Class
			shown.Preview.Rows = append(shown.Preview.Rows, row)
		}
	}
	return p.Show(w, r, http.StatusOK, "settings_ownership", shown)
}

func newOwnedRow(rules owner.Rules, directory owner.Directory, place owner.Place) (row ownedRow) {
	if len(place.Files) > 0 {
		row.File = place.Files[0]
	}
	rule, ok := rules.Find(place)
	if !ok {
		return row
	}
	row.Line, row.Owners = rule.Line, strings.Join(rule.Owners, ", ")
	row.Assignee = directory.Resolve(rule.Owners).Assignee.Called()
	return row
}
