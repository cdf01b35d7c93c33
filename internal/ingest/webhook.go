package ingest

import (
	"context"
	"io"
	"net/http"
	"strconv"

	"sett/internal/ingest/webhook"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// webhookOf is what a delivery to the webhook of something is read with, once it is known what that is. Its record stores what the delivery
// says; it is nil if there is nothing to store.
type webhookOf func(r *http.Request, body []byte) (record func(context.Context) error, err error)

// webhookRoutes are the routes that hosts of source control and issue trackers call.
func (in *Ingest) webhookRoutes() []serve.Route {
	return []serve.Route{
		in.webhookRoute(in.ofRepository, "repository_id", webhook.MostBody, serve.Route{
			Path: "/v1/repositories/{repository_id}/webhook", Name: "reportRepository",
			Doc: "Report a push, a change or a result of checks: the webhook of a repository at GitHub, GitLab, Gitea, Forgejo or Bitbucket. It must be signed with the repository's secret.",
		}),
		in.webhookRoute(in.ofTracker, "integration_id", webhook.MostIssueBody, serve.Route{
			Path: "/v1/integrations/{integration_id}/webhook", Name: "reportIssue",
			Doc: "Report that an issue was closed, reopened or commented on: the webhook of an issue tracker. It must be signed with the option webhook_secret of its integration.",
		}),
	}
}

// webhookRoute completes a route whose sender is known only by the signature of the body, which is read within the room for strangers. Few
// senders repeat a delivery, so the answer is 201 only once it is stored.
func (in *Ingest) webhookRoute(find func(context.Context, int64) (webhookOf, error), param string, most int64, route serve.Route) serve.Route {
	route.Method, route.Tag, route.Permission, route.Status = http.MethodPost, "Reporting", accounts.Public, http.StatusCreated
	route.Body, route.Raw, route.Result, route.Quiet = map[string]any{}, true, recorded{}, true
	route.Handle = func(w http.ResponseWriter, r *http.Request) error {
		id, _ := strconv.ParseInt(r.PathValue(param), 10, 64) // 0 is the id of nothing
		read, err := find(r.Context(), id)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
		if err != nil {
			return bodyError(err)
		}
		record, err := read(r, body)
		if err != nil {
			return err
		}
		serve.Known(r.Context())
		if record != nil {
			if err := record(r.Context()); err != nil {
				return in.db.Explain(err)
			}
		}
		return serve.WriteJSON(w, http.StatusCreated, recorded{Status: "OK"})
	}
	return route
}

// ofRepository records what happened in a repository.
func (in *Ingest) ofRepository(ctx context.Context, id int64) (webhookOf, error) {
	of, err := in.repositories.ByID(ctx, 0, id)
	return func(r *http.Request, body []byte) (func(context.Context) error, error) {
		d, err := webhook.Read(of.Host, r.Header, body, of.Secret, in.now())
		if err == nil && d.Repository != "" && !of.IsAt(d.Repository) {
			err = sett.Errorf(sett.Invalid, "Nothing was recorded: this is the webhook of %s, and the address is that of %s. If the repository was renamed, enter its new address in sett. Otherwise use the address and secret that sett shows for it.", d.Repository, of.URL)
		}
		return func(ctx context.Context) error { return in.recordDelivery(ctx, in.now(), of, d, in.baseURL) }, err
	}, err
}

// ofTracker records what happened to an issue. Of one that no error is linked with, and of a comment of sett's own, there is nothing to store.
func (in *Ingest) ofTracker(ctx context.Context, id int64) (webhookOf, error) {
	of, err := in.tracker(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case !webhook.ReadsIssues(of.Type):
		return nil, sett.Errorf(sett.NotFound, "An integration of the type %s has no webhook.", of.Type)
	case of.WebhookSecret() == "":
		return nil, sett.Errorf(sett.Unauthenticated, "Nothing was recorded: this channel has no webhook secret yet. Open it in sett and save it, and sett makes one.")
	}
	return func(r *http.Request, body []byte) (func(context.Context) error, error) {
		n, err := webhook.ReadIssue(of.Type, r.Header, r.URL.Query().Get("token"), body, of.WebhookSecret(), in.now())
		if err != nil || n.Empty() {
			return nil, err
		}
		if !n.In(of.Options) {
			return nil, sett.Errorf(sett.Invalid, "Nothing was recorded: this is about an issue of %s, which is not the project of the channel. Use the address and secret of a channel for that project.", n.Places[0])
		}
		if !of.Active || n.Comment != nil && n.Comment.Own(in.baseURL) {
			return nil, nil
		}
		return func(ctx context.Context) error { return in.faults.HearIssue(ctx, in.now(), of, n) }, nil
	}, nil
}
