package settings

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/web"
)

// dataForm is how long events are kept, and which of their fields names the affected user.
type dataForm struct {
	page
	Fields web.Fields
}

func (p *pages) newDataForm(r *http.Request, days, userField, kept string) *dataForm {
	return &dataForm{
		page: p.newPage(r, "Data", "data"),
		Fields: web.Fields{
			{Name: "purge_days", Label: "Event retention (days)", Kind: "number", Value: days, Hint: "1 to " + strconv.Itoa(accounts.MaxPurgeDays) + ". Errors and their counts are kept." + kept},
			{Name: "user_search_field", Label: "User field", Kind: "text", Value: userField, Optional: true, Code: true, Hint: "The field of an event that identifies the affected user, for example context.user.email. It applies to new events."},
		},
	}
}

func (p *pages) dataPage(w http.ResponseWriter, r *http.Request) error {
	project, err := p.Accounts.ProjectWithoutCounts(r.Context(), web.Project(r))
	if err != nil {
		return err
	}
	kept, err := p.Intake.Kept(r.Context(), p.Now(), project.ID, project.PurgeDays)
	if err != nil {
		return err
	}
	form := p.newDataForm(r, strconv.FormatInt(project.PurgeDays, 10), project.UserSearchField, keptNow(kept, project.PurgeDays))
	return p.Show(w, r, http.StatusOK, "settings_data", form)
}

func (p *pages) saveData(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	days, userField := form.Get("purge_days"), strings.TrimSpace(form.Get("user_search_field"))
	change := accounts.ProjectChange{PurgeDays: number(days), UserSearchField: sett.Some(userField)}
	if err := p.Accounts.UpdateProject(r.Context(), web.Project(r), change); err != nil {
		again := p.newDataForm(r, days, userField, "")
		again.Fields.Explain(sett.ProblemsOf(err))
		return p.Again(w, r, err, "settings_data", again)
	}
	p.Keys.Forget() // intake reads the user_search_field with the key
	return p.Done(w, to(r, "/data"), "saved")
}

// keptNow describes how much data a project stores.
func keptNow(k accounts.Kept, days int64) string {
	if k.Notices == 0 {
		return ""
	}
	span := "today and the " + strconv.FormatInt(days, 10) + " days before"
	if days == 1 {
		span = "today and yesterday"
	}
	return fmt.Sprintf(" Stored from %s: about %s, %s (estimated).", span, web.Count(k.Notices, "event"), megabytes(k.Bytes))
}

func megabytes(n int64) string {
	if n < 100_000 {
		return "less than 0.1 MB"
	}
	return fmt.Sprintf("about %.1f MB", float64(n)/1e6)
}

// number parses an integer field.
func number(text string) sett.Optional[int64] {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	o := sett.Some(n)
	if err != nil {
		o.Bad = "must be an integer"
	}
	return o
}
