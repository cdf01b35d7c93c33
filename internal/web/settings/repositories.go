package settings

import (
	"net/http"
	"net/url"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/repo"
	"sett/internal/web"
)

// repositoryList is the repositories of a project, and the form that adds one.
type repositoryList struct {
	page
	Repositories []repositoryRow
	Fields       web.Fields // of the form; nil for users who may not use it
	Full         bool       // the project has as many as it may have
	Most         int
}

// repositoryRow is a repository as pages show it. It never has the token or the secret.
type repositoryRow struct {
	repo.Repository
	Name     string // its owner and name
	HostName string
	HasToken bool
	State    web.State
	Heard    web.Moment
	Asked    web.Moment
}

func newRepositoryRow(s web.Shell, r repo.Repository) repositoryRow {
	if r.Token == "" {
		r.Problem = "" // of a token that was removed: without one, no host is asked
	}
	row := repositoryRow{Repository: r, Name: r.URL, HostName: guideOf(r.Host).Name, HasToken: r.Token != "", State: repositoryState(r), Heard: s.Moment(r.HeardAt), Asked: s.Moment(r.AskedAt)}
	if u, err := url.Parse(r.URL); err == nil && u.Path != "" {
		row.Name = strings.Trim(u.Path, "/")
	}
	row.Token, row.Secret = "", ""
	return row
}

// repositoryState says whether anything of a repository reaches sett.
func repositoryState(r repo.Repository) web.State {
	switch {
	case r.Problem != "":
		return web.State{Mood: web.Critical, Word: "Problem"}
	case r.HeardAt.IsZero():
		return web.State{Mood: web.Warning, Word: "No webhook yet"}
	default:
		return web.State{Mood: web.Fine, Word: "Connected"}
	}
}

func (p *pages) newRepositoryList(r *http.Request, fields web.Fields) (*repositoryList, error) {
	list := &repositoryList{page: p.newPage(r, "Repositories", "repositories"), Most: repo.MostRepositories}
	found, err := p.Repos.List(r.Context(), list.ProjectID)
	for _, one := range found {
		list.Repositories = append(list.Repositories, newRepositoryRow(list.Shell, one))
	}
	list.Full = len(found) >= list.Most
	if list.May(accounts.ManageProject) {
		list.Fields = fields
	}
	return list, err
}

// repositoryFields are the fields of the form. The kind of host is asked for only where the address does not say it: then withHost is true.
func repositoryFields(sent repo.Repository, withHost bool) web.Fields {
	fields := web.Fields{
		{Name: "url", Label: "Address", Kind: "url", Value: sent.URL, Hint: "As your browser shows it, for example https://github.com/acme/shop."},
	}
	if withHost {
		kinds := []web.Choice{{Value: "", Label: "By the address"}}
		for _, h := range repo.Hosts {
			kinds = append(kinds, web.Choice{Value: string(h), Label: guideOf(h).Name})
		}
		fields = append(fields, web.Field{Name: "host", Label: "Kind of host", Value: string(sent.Host), Choices: kinds, Hint: "Only for a server of your own. Public hosts are known by their address."})
	}
	return append(fields,
		web.Field{Name: "path", Label: "Folder", Kind: "text", Value: sent.Path, Optional: true, Code: true, Hint: "Only if the repository has several programs: the folder of this one, for example services/shop."},
		web.Field{Name: "token", Label: "Token", Kind: "password", Complete: "new-password", Optional: true, Code: true, Hint: "With it sett reads commits and files. You can add it later."},
		web.Field{Name: "comments", Label: "Comment on pull requests", Kind: "tick", On: sent.Comments, Hint: "sett comments when a new error most likely came from a pull request. The token must be allowed to write comments."},
	)
}

func (p *pages) repositoriesPage(w http.ResponseWriter, r *http.Request) error {
	list, err := p.newRepositoryList(r, repositoryFields(repo.Repository{}, true))
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "settings_repositories", list)
}

// repositorySettings reads the form. An empty token stays as it is, as forms never have the stored one.
func repositorySettings(form url.Values) repo.RepositoryChange {
	s := repo.RepositoryChange{URL: sett.Some(form.Get("url")), Path: sett.Some(form.Get("path")), Comments: sett.Some(form.Get("comments") != "")}
	if host := form.Get("host"); host != "" {
		s.Host = sett.Some(host)
	}
	switch token := form.Get("token"); {
	case token != "":
		s.Token = sett.Some(token)
	case form.Get("drop_token") != "":
		s.Token = sett.Some("")
	}
	return s
}

// sentRepository is what a form shows again.
func sentRepository(form url.Values) repo.Repository {
	return repo.Repository{URL: form.Get("url"), Host: repo.Host(form.Get("host")), Path: form.Get("path"), Comments: form.Get("comments") != ""}
}

func (p *pages) addRepository(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	made, err := p.Repos.Create(r.Context(), p.Now(), web.Project(r), repositorySettings(form))
	if err != nil {
		fields := repositoryFields(sentRepository(form), true)
		fields.Explain(sett.ProblemsOf(err))
		again, failed := p.newRepositoryList(r, fields)
		if failed != nil {
			return failed
		}
		return p.Again(w, r, err, "settings_repositories", again)
	}
	return p.Done(w, to(r, "/repositories/%d", made.ID), "repository_added")
}
