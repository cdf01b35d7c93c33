package user

import (
	"net/http"

	"sett/internal/base/cron"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/web"
)

// appearancePage chooses the theme of this browser and the time zone of the user.
type appearancePage struct {
	web.Shell
	Form web.Fields
}

func (p *pages) appearance(w http.ResponseWriter, r *http.Request) error {
	return p.Show(w, r, http.StatusOK, "appearance", p.newAppearance(r))
}

func (p *pages) newAppearance(r *http.Request) *appearancePage {
	page := &appearancePage{Shell: p.Shell(r, "Appearance")}
	choices := web.Choices("", "Time zone of the browser"+known(auth.BrowserZone(r)))
	for _, zone := range cron.ZoneNames() {
		choices = append(choices, web.Choice{Value: zone, Label: zone})
	}
	page.Form = web.Fields{{
		Name: "zone", Label: "Time zone", Value: page.User.Zone, Choices: choices, Hint: "Used for times on pages and in your emails.",
	}}
	return page
}

func known(zone string) string {
	if zone == "" {
		return ""
	}
	return " (" + zone + ")"
}

// chooseZone sets the time zone of the signed-in user.
func (p *pages) chooseZone(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := p.Accounts.SetZone(r.Context(), web.Who(r).Session, form.Get("zone")); err != nil {
		page := p.newAppearance(r)
		page.Form.Explain(sett.ProblemsOf(err))
		return p.Again(w, r, err, "appearance", page)
	}
	return p.Done(w, "/me/appearance", "saved")
}
