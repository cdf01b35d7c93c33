package ingest

import (
	"net/http"
	"net/url"
	"strings"

	"sett/internal/ingest/event"
	"sett/internal/serve"
	"sett/internal/sett"
)

// herokuQuery has the parameters of the URL that Heroku calls: its hooks do not contain environments.
type herokuQuery struct {
	APIKey      string `query:"api_key" doc:"The project's API key."`
	Environment string `query:"environment" doc:"Environment of the deploy; absent for the whole project."`
	Repository  string `query:"repository" doc:"URL of the repository."`
}

// herokuBody documents the fields of a release that are read, from Heroku's webhooks
// (devcenter.heroku.com/articles/webhook-events#api-release) and from its former deploy hooks: form or JSON.
type herokuBody struct {
	Data     herokuData `json:"data,omitzero" doc:"For a webhook"`
	Head     string     `json:"head,omitempty" doc:"For a deploy hook: the short revision"`
	HeadLong string     `json:"head_long,omitempty" doc:"For a deploy hook: the revision"`
	User     string     `json:"user,omitempty" doc:"For a deploy hook: the user"`
}

type herokuData struct {
	Status string     `json:"status,omitempty" doc:"Only succeeded is recorded"`
	Slug   herokuSlug `json:"slug,omitzero"`
	User   herokuUser `json:"user,omitzero"`
}

type herokuSlug struct {
	Commit string `json:"commit,omitempty" doc:"The revision"`
}

type herokuUser struct {
	Email string `json:"email,omitempty" doc:"User who deployed"`
}

// sentRelease is a release in either kind of hook. Each field may be missing.
type sentRelease struct {
	Data struct {
		Status sett.Optional[string] `json:"status"`
		Slug   struct {
			Commit sett.Optional[string] `json:"commit"`
		} `json:"slug"`
		User struct {
			Email sett.Optional[string] `json:"email"`
		} `json:"user"`
	} `json:"data"`
	Head     sett.Optional[string] `json:"head"`
	HeadLong sett.Optional[string] `json:"head_long"`
	User     sett.Optional[string] `json:"user"`
}

func releaseOfForm(fields url.Values) (release sentRelease) {
	release.Head, release.HeadLong = sett.Some(fields.Get("head")), sett.Some(fields.Get("head_long"))
	release.User = sett.Some(fields.Get("user"))
	return release
}

// postHeroku records the deploy of a release. Heroku sends a release more than once, while it is pending and when it has
// ended; only one that has succeeded is a deploy. Deploy hooks sent only those, without a status.
func (in *Ingest) postHeroku(w http.ResponseWriter, r *http.Request) error {
	project, body, err := in.admitHook(w, r)
	if err != nil {
		return err
	}
	release := releaseOfForm(body.fields)
	if err := body.decode(w, r, &release); err != nil {
		return err
	}
	var problems sett.Problems
	named := sett.Check(&problems, "data.status", release.Data.Status)
	switch err := problems.Refusal(); {
	case err != nil:
		return err
	case named && release.Data.Status.Value != "succeeded":
		return serve.WriteJSON(w, http.StatusCreated, recorded{Status: "OK"})
	}
	query := deployOfForm(event.ParseQuery(r.URL.RawQuery))
	return in.recordDeploy(w, r, project, sentDeploy{
		Environment: query.Environment, Repository: query.Repository,
		Revision:      firstText(release.Data.Slug.Commit, release.HeadLong, release.Head),
		LocalUsername: firstText(release.Data.User.Email, release.User),
	})
}

// firstText returns the first of the fields that says something.
func firstText(fields ...sett.Optional[string]) (o sett.Optional[string]) {
	for _, o = range fields {
		if o.Bad != "" || strings.TrimSpace(o.Value) != "" {
			return o
		}
	}
	return o
}
