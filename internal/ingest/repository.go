package ingest

import (
	"errors"
	"io"
	"net/http"
	"strconv"

	"sett/internal/ingest/webhook"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/repo"
)

// repositoryRoute is the route that hosts of source control call.
func (in *Ingest) repositoryRoute() serve.Route {
	return serve.Route{
		Method: http.MethodPost, Path: "/v1/repositories/{repository_id}/webhook", Name: "reportRepository", Tag: "Reporting",
		Permission: accounts.Public, Body: map[string]any{}, Raw: true, Result: recorded{}, Status: http.StatusCreated, Handle: in.postRepository, Quiet: true,
		Doc: "Report a push, a change or a result of checks: the webhook of a repository at GitHub, GitLab, Gitea, Forgejo or Bitbucket. It must be signed with the repository's secret.",
	}
}

// postRepository records what a webhook says. A host hardly ever sends one again, so it answers 201 only once it is stored.
func (in *Ingest) postRepository(w http.ResponseWriter, r *http.Request) error {
	id, err := strconv.ParseInt(r.PathValue("repository_id"), 10, 64)
	if err != nil {
		return sett.Errorf(sett.NotFound, "Repository not found")
	}
	of, err := in.repositories.ByID(r.Context(), 0, id)
	if err != nil {
		return err
	}
	d, err := in.readDelivery(w, r, of)
	if err != nil {
		return err
	}
	serve.Known(r.Context())
	if err := in.recordDelivery(r.Context(), in.now(), of, d, in.baseURL); err != nil {
		return in.db.Explain(err)
	}
	return serve.WriteJSON(w, http.StatusCreated, recorded{Status: "OK"})
}

func (in *Ingest) readDelivery(w http.ResponseWriter, r *http.Request, of repo.Repository) (d repo.Delivery, err error) {
	body, err := signedBody(w, r, webhook.MostBody)
	if err != nil {
		return d, err
	}
	d, err = webhook.Read(of.Host, r.Header, body, of.Secret, in.now())
	if errors.Is(err, webhook.ErrSignature) {
		return d, sett.Errorf(sett.Unauthenticated, "Nothing was recorded: %s", err.Error())
	}
	if err == nil && d.Repository != "" && !of.IsAt(d.Repository) {
		return d, sett.Errorf(sett.Invalid, "Nothing was recorded: this is the webhook of %s, and the address is that of %s. Use the address and secret that sett shows for the repository.", d.Repository, of.URL)
	}
	return d, err
}

// signedBody reads a body whose sender is known only once it is read: within the room for strangers.
func signedBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	return body, bodyError(err)
}
