package settings

import (
	"net/http"
	"strings"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/owner"
	"sett/internal/sett/repo"
	"sett/internal/web"
)

// mostOwned is how many errors the preview of ownership rules shows.
const mostOwned = 25

// ownership is the rules that say who owns errors, on the page of who has access.
type ownership struct {
	Fields  web.Fields
	Unknown string // owners that are not known, as text; "" for none
	Files   []ownersFile
	Preview *ownershipPreview
}

// ownershipPreview is whom rules name as the owners of recent errors.
type ownershipPreview struct{ Rows []ownedRow }

type ownedRow struct {
	FaultID                       int64
	Class, File, Owners, Assignee string
	Line                          int    // of the rule; 0: none
	From                          string // repository whose CODEOWNERS file decides; "" for none
}

// owners is what says who owns an error, and who may.
type owners struct {
	ruling    owner.Ruling
	directory owner.Directory
}

func (p *pages) newOwnership(r *http.Request, s owner.Settings) (*ownership, owners, error) {
	directory, err := p.Accounts.ProjectOwners(r.Context(), web.Project(r))
	if err != nil {
		return nil, owners{}, err
	}
	repositories, err := p.Repos.List(r.Context(), web.Project(r))
	if err != nil {
		return nil, owners{}, err
	}
	ruling := s.With(repositories)
	return &ownership{
		Files: newOwnersFiles(p.Now(), repositories, ruling, directory),
		Fields: web.Fields{
			{Name: "rules", Label: "Rules", Kind: "area", Lines: 12, Value: s.Rules, Optional: true, Code: true, Hint: "One rule per line: a file pattern or component:Name, then owners. You can paste a CODEOWNERS file. The last rule that matches decides."},
			{Name: "notify_only_owners", Label: "Notify only the owners of new and reopened errors", Kind: "tick", On: s.OnlyOwners, Hint: "Applies to personal notifications. Channels receive all errors. Errors without an owner notify everyone."},
		},
		Unknown: strings.Join(directory.Resolve(s.Parsed().Names()).Unknown, ", "),
	}, owners{ruling, directory}, nil
}

// withOwnership returns the page of who has access, with the rules of a form.
func (p *pages) withOwnership(r *http.Request, s owner.Settings) (*accessPage, owners, error) {
	shown, err := p.newAccessList(r)
	if err != nil {
		return nil, owners{}, err
	}
	var all owners
	shown.Ownership, all, err = p.newOwnership(r, s)
	return shown, all, err
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
	return p.Done(w, to(r, "/access"), "saved")
}

// ownershipAgain shows the form again with what is wrong.
func (p *pages) ownershipAgain(w http.ResponseWriter, r *http.Request, change owner.OwnershipChange, err error) error {
	if sett.CodeOf(err) != sett.Invalid {
		return err
	}
	sent, _ := change.Apply(owner.Settings{})
	again, _, failed := p.withOwnership(r, sent)
	if failed != nil {
		return failed
	}
	again.Ownership.Fields.Explain(sett.ProblemsOf(err))
	return p.Again(w, r, err, "settings_access", again)
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
	shown, all, err := p.withOwnership(r, settings)
	if err != nil {
		return err
	}
	shown.Ownership.Preview = &ownershipPreview{}
	for _, body := range newest {
		if notice, err := payload.Read(body.Body, ""); err == nil {
			row := all.row(notice)
			row.FaultID, row.Class = body.FaultID, body.Class
			shown.Ownership.Preview.Rows = append(shown.Ownership.Preview.Rows, row)
		}
	}
	return p.Show(w, r, http.StatusOK, "settings_access", shown)
}

// row shows who owns what a notice reports.
func (o owners) row(n payload.Payload) (row ownedRow) {
	verdict, ok := o.ruling.Find(n)
	if !ok {
		if frames := repo.FramesOf(n); len(frames) > 0 {
			row.File = frames[0].File
		}
		return row
	}
	row.File, row.Line, row.From, row.Owners = verdict.Path, verdict.Line, verdict.From, strings.Join(verdict.Owners, ", ")
	row.Assignee = o.directory.Resolve(verdict.Owners).Assignee.Called()
	return row
}
