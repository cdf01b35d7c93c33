package fault

import (
	"net/http"
	"regexp"

	"sett/internal/serve/auth"
	"sett/internal/web"
)

// mailAddress matches probable email addresses.
var mailAddress = regexp.MustCompile(`[^\s@<>"'(),;:]{1,64}@[^\s@<>"'(),;:]{1,255}\.[^\s@<>"'(),;:.]{2,63}`)

// hideMails masks email addresses in a text.
func hideMails(text string) string { return mailAddress.ReplaceAllString(text, "[address]") }

// shared shows a fault to anyone with its public link. It never says why a link is invalid.
func (p *pages) shared(w http.ResponseWriter, r *http.Request) error {
	found, err := p.Faults.SharedFault(r.Context(), auth.HashToken(r.PathValue("token")))
	if err != nil {
		return err
	}
	n, err := p.Faults.NewestNotice(r.Context(), found.ProjectID, found.ID)
	if err != nil {
		return err
	}
	s := p.Shell(r, found.Class)
	s.Title, s.Heading, s.Secret = cut(orWord(found.Class, "Error"), 100), "-", true
	if w.Header().Set("X-Robots-Tag", "noindex, nofollow"); s.User.ID != 0 { // the same for everyone: without the signed-in user
		s = web.Shell{Title: s.Title, Heading: s.Heading, Secret: true, Theme: s.Theme, Now: s.Now}
	}
	return p.Show(w, r, http.StatusOK, "shared", sharedFault(s, found, n))
}
