package settings

import (
	"net/http"
	"net/url"
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
}

func (p *pages) newGeneralForm(r *http.Request, s accounts.ProjectSettings) *generalForm {
	return &generalForm{
		page: p.newPage(r, "General settings", "general"),
		Project: web.Fields{
			{Name: "name", Label: "Name", Kind: "text", Value: s.Name},
			{Name: "language", Label: "Language", Value: s.Language, Choices: append(web.Choices("", "Not set"), web.LanguageChoices()...), Hint: "Selects which setup instructions you see first."},
			{Name: "resolve_errors_on_deploy", Label: "Resolve all unresolved errors when a deploy is recorded", Kind: "tick", On: s.ResolveErrorsOnDeploy, Hint: "Errors that happen again are reopened."},
			{Name: "allow_public_links", Label: "Allow public links to errors and dashboards", Kind: "tick", On: !s.DisablePublicLinks, Hint: "Turn off to disable all existing links. To end one permanently, revoke it on the page of its error or dashboard."},
		},
		Links: web.Fields{
			{Name: "source_url", Label: "Source link template", Kind: "text", Value: s.SourceURL, Optional: true, Code: true, Hint: "Links lines of backtraces to your repository. Use [sha], [file] or [line], for example https://git.example.org/shop/[sha]/[file]#L[line]"},
			{Name: "trace_url", Label: "Trace link template", Kind: "text", Value: s.TraceURL, Optional: true, Code: true, Hint: "Links the trace ID of an event to your tracing tool. Use [trace_id], for example https://traces.example.org/trace/[trace_id]"},
			{Name: "user_url", Label: "User link template", Kind: "text", Value: s.UserURL, Optional: true, Code: true, Hint: "Links affected users to your admin pages. Use [user_id] or [user_email], for example https://example.org/users/[user_id]"},
		},
	}
}

func (p *pages) generalPage(w http.ResponseWriter, r *http.Request) error {
	project, err := p.Accounts.ProjectWithoutCounts(r.Context(), web.Project(r))
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "settings_general", p.newGeneralForm(r, project.ProjectSettings))
}

func (p *pages) saveProject(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	change := projectChange(form)
	if err := p.Accounts.UpdateProject(r.Context(), web.Project(r), change); err != nil {
		again := p.newGeneralForm(r, sentSettings(change))
		again.Project.Explain(sett.ProblemsOf(err))
		again.Links.Explain(sett.ProblemsOf(err))
		return p.Again(w, r, err, "settings_general", again)
	}
	return p.Done(w, to(r, "/general"), "saved")
}

// projectChange returns the change of a form; unchecked checkboxes are not sent.
func projectChange(form url.Values) accounts.ProjectChange {
	c := accounts.ProjectChange{
		Name:                  sett.Some(form.Get("name")),
		Language:              sett.Some(form.Get("language")),
		ResolveErrorsOnDeploy: sett.Some(form.Get("resolve_errors_on_deploy") != ""),
		DisablePublicLinks:    sett.Some(form.Get("allow_public_links") == ""),
		UserURL:               sett.Some(strings.TrimSpace(form.Get("user_url"))),
		SourceURL:             sett.Some(strings.TrimSpace(form.Get("source_url"))),
		TraceURL:              sett.Some(strings.TrimSpace(form.Get("trace_url"))),
	}
	c.Language.Null = c.Language.Value == ""
	return c
}

// sentSettings returns the settings with the sent values, even if they are invalid.
func sentSettings(c accounts.ProjectChange) accounts.ProjectSettings {
	return accounts.ProjectSettings{
		Name: c.Name.Value, Language: c.Language.Value, ResolveErrorsOnDeploy: c.ResolveErrorsOnDeploy.Value, DisablePublicLinks: c.DisablePublicLinks.Value,
		UserURL: c.UserURL.Value, SourceURL: c.SourceURL.Value, TraceURL: c.TraceURL.Value,
	}
}
