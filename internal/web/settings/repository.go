package settings

import (
	"net/http"

	"sett/internal/sett"
	"sett/internal/sett/repo"
	"sett/internal/web"
)

// repositoryPage is a repository with the steps that connect it. It has the secret of its webhook.
type repositoryPage struct {
	page
	Repository repositoryRow
	Guide      hostGuide
	WebhookURL string
	HookSecret string
	HooksLink  string // page of the host with the webhooks of the repository
	Fields     web.Fields
}

func (p *pages) newRepositoryPage(r *http.Request) (*repositoryPage, error) {
	found, err := p.Repos.ByID(r.Context(), web.Project(r), web.PathID(r, "repository_id"))
	if err != nil {
		return nil, err
	}
	shown := &repositoryPage{page: p.newPage(r, "Repository", "repositories"), Guide: guideOf(found.Host), WebhookURL: found.WebhookURL(p.ReportURL), HookSecret: found.Secret}
	shown.Secret = true
	shown.Repository = newRepositoryRow(shown.Shell, found)
	shown.HooksLink = found.URL + shown.Guide.Hooks
	shown.Fields = editFields(found, shown.Repository.HasToken)
	return shown, nil
}

// editFields are the fields of a repository that is there.
func editFields(sent repo.Repository, hasToken bool) web.Fields {
	host, known := repo.HostAt(sent.URL)
	fields := repositoryFields(sent, !known || host != sent.Host)
	if !hasToken {
		return fields
	}
	for i := range fields {
		if fields[i].Name == "token" {
			fields[i].Hint = "A token is stored, and never shown. Leave this empty to keep it."
		}
	}
	return append(fields, web.Field{Name: "drop_token", Label: "Remove the token", Kind: "tick"})
}

func (p *pages) repositoryPage(w http.ResponseWriter, r *http.Request) error {
	shown, err := p.newRepositoryPage(r)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "settings_repository", shown)
}

func (p *pages) changeRepository(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	id := web.PathID(r, "repository_id")
	if _, err := p.Repos.Update(r.Context(), p.Now(), web.Project(r), id, repositorySettings(form)); err != nil {
		again, failed := p.newRepositoryPage(r)
		if failed != nil {
			return failed
		}
		sent := sentRepository(form)
		if sent.Host == "" {
			sent.Host = again.Repository.Host
		}
		again.Fields = editFields(sent, again.Repository.HasToken)
		again.Fields.Explain(sett.ProblemsOf(err))
		return p.Again(w, r, err, "settings_repository", again)
	}
	return p.Done(w, to(r, "/repositories/%d", id), "saved")
}

func (p *pages) removeRepository(w http.ResponseWriter, r *http.Request) error {
	if err := p.Repos.Delete(r.Context(), web.Project(r), web.PathID(r, "repository_id")); err != nil {
		return err
	}
	return p.Done(w, to(r, "/repositories"), "repository_removed")
}
