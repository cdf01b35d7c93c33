package settings

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/web"
)

// generalForm is the general settings of a project.
type generalForm struct {
	page
	Project web.Fields
	Links   web.Fields
	Data    web.Fields
}

func (p *pages) newGeneralForm(r *http.Request, s accounts.ProjectSettings, kept string) *generalForm {
	return &generalForm{
		page: p.newPage(r, "General settings", "general"),
		Project: web.Fields{
			{Name: "name", Label: "Name", Kind: "text", Value: s.Name},
			{Name: "language", Label: "Language", Value: s.Language, Choices: append(web.Choices("", "Not set"), web.LanguageChoices()...), Hint: "Selects the setup instructions that are shown first."},
			{Name: "resolve_errors_on_deploy", Label: "Resolve all open errors when a deploy is recorded", Kind: "tick", On: s.ResolveErrorsOnDeploy, Hint: "Errors that happen again are reopened."},
			{Name: "disable_public_links", Label: "Disable public links to errors", Kind: "tick", On: s.DisablePublicLinks, Hint: "Existing links do not work while this is on. To end a link permanently, revoke it on the page of its error."},
		},
		Links: web.Fields{
			{Name: "source_url", Label: "Source link template", Kind: "text", Value: s.SourceURL, Optional: true, Code: true, Hint: "Where lines of backtraces link to. The template contains [sha], [file] or [line], for example https://git.example.org/shop/[sha]/[file]#L[line]"},
			{Name: "trace_url", Label: "Trace link template", Kind: "text", Value: s.TraceURL, Optional: true, Code: true, Hint: "Where the trace ID of an event links to. The template contains [trace_id], for example https://traces.example.org/trace/[trace_id]"},
			{Name: "user_url", Label: "User link template", Kind: "text", Value: s.UserURL, Optional: true, Code: true, Hint: "Where affected users link to. The template contains [user_id] or [user_email], for example https://example.org/users/[user_id]"},
		},
		Data: web.Fields{
			{Name: "user_search_field", Label: "User field", Kind: "text", Value: s.UserSearchField, Optional: true, Code: true, Hint: "The field of an event that identifies the affected user, for example context.user.email. It applies to new events."},
			{Name: "purge_days", Label: "Event retention (days)", Kind: "number", Value: strconv.FormatInt(s.PurgeDays, 10), Hint: "1 to " + strconv.Itoa(accounts.MaxPurgeDays) + ". Errors and their counts are kept." + kept},
		},
	}
}

func (p *pages) generalPage(w http.ResponseWriter, r *http.Request) error {
	project, err := p.Accounts.ProjectWithoutCounts(r.Context(), web.Project(r))
	if err != nil {
		return err
	}
	kept, err := p.Intake.Kept(r.Context(), p.Now(), project.ID, project.PurgeDays)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "settings_general", p.newGeneralForm(r, project.ProjectSettings, keptNow(kept, project.PurgeDays)))
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

func (p *pages) saveProject(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	change := projectChange(form)
	if err := p.Accounts.UpdateProject(r.Context(), web.Project(r), change); err != nil {
		again := p.newGeneralForm(r, sentSettings(change), "")
		again.Data[1].Value = form.Get("purge_days")
		for _, fields := range []web.Fields{again.Project, again.Links, again.Data} {
			fields.Explain(sett.ProblemsOf(err))
		}
		return p.Again(w, r, err, "settings_general", again)
	}
	p.Keys.Forget() // intake reads the user_search_field with the key
	return p.Done(w, to(r, "/general"), "saved")
}

// projectChange returns the change of a form; unchecked checkboxes are not sent.
func projectChange(form url.Values) accounts.ProjectChange {
	c := accounts.ProjectChange{
		Name:                  sett.Some(form.Get("name")),
		Language:              sett.Some(form.Get("language")),
		ResolveErrorsOnDeploy: sett.Some(form.Get("resolve_errors_on_deploy") != ""),
		DisablePublicLinks:    sett.Some(form.Get("disable_public_links") != ""),
		UserURL:               sett.Some(strings.TrimSpace(form.Get("user_url"))),
		SourceURL:             sett.Some(strings.TrimSpace(form.Get("source_url"))),
		TraceURL:              sett.Some(strings.TrimSpace(form.Get("trace_url"))),
		PurgeDays:             number(form.Get("purge_days")),
		UserSearchField:       sett.Some(strings.TrimSpace(form.Get("user_search_field"))),
	}
	c.Language.Null = c.Language.Value == ""
	return c
}

// sentSettings returns the settings with the sent values, even if they are invalid.
func sentSettings(c accounts.ProjectChange) accounts.ProjectSettings {
	return accounts.ProjectSettings{
		Name: c.Name.Value, Language: c.Language.Value, ResolveErrorsOnDeploy: c.ResolveErrorsOnDeploy.Value, DisablePublicLinks: c.DisablePublicLinks.Value,
		UserURL: c.UserURL.Value, SourceURL: c.SourceURL.Value, TraceURL: c.TraceURL.Value, PurgeDays: c.PurgeDays.Value, UserSearchField: c.UserSearchField.Value,
	}
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
