package fault

import (
	"net/http"
	"time"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/store/sheet"
	"sett/internal/web"
)

// share is the public link of a fault for its page.
type share struct {
	There    bool
	Disabled bool // public links are disabled in the project
	By       string
	At       time.Time
	Made     string // the link, if it was just created
}

func shareOf(s *sheet.Fault) share {
	it := share{Disabled: s.Project.DisablePublicLinks}
	if s.Share != nil {
		it.There, it.By, it.At = true, s.Share.MadeBy.Called(), s.Share.CreatedAt
	}
	return it
}

// makeShare creates a public link and shows it once: only its hash is stored.
func (p *pages) makeShare(w http.ResponseWriter, r *http.Request) error {
	token := sett.NewShareToken()
	if err := p.Faults.ShareFault(r.Context(), p.Now(), web.Who(r).User.ID, web.Project(r), web.PathID(r, "fault_id"), auth.HashToken(token)); err != nil {
		return err
	}
	view, err := p.viewFault(r)
	if err != nil {
		return err
	}
	view.Here = address(r)
	view.Address, view.Secret, view.Share.Made = view.Here, true, p.BaseURL+"/share/"+token
	return p.Show(w, r, http.StatusOK, "fault", view)
}

func (p *pages) endShare(w http.ResponseWriter, r *http.Request) error {
	return p.changed(w, r, p.Faults.UnshareFault(r.Context(), web.Project(r), web.PathID(r, "fault_id")), "unshared")
}
