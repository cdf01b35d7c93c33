package ingest

import (
	"errors"
	"net/http"
	"strconv"

	"sett/internal/ingest/webhook"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/triage"
)

// trackerRoute is the route that issue trackers call.
func (in *Ingest) trackerRoute() serve.Route {
	return serve.Route{
		Method: http.MethodPost, Path: "/v1/integrations/{integration_id}/webhook", Name: "reportIssue", Tag: "Reporting",
		Permission: accounts.Public, Body: map[string]any{}, Raw: true, Result: recorded{}, Status: http.StatusCreated, Handle: in.postIssue, Quiet: true,
		Doc: "Report that an issue was closed, reopened or commented on: the webhook of an issue tracker. It must be signed with the option webhook_secret of its integration.",
	}
}

// postIssue records what a webhook of an issue tracker says. Of an issue that no error is linked with, there is nothing to record.
func (in *Ingest) postIssue(w http.ResponseWriter, r *http.Request) error {
	id, err := strconv.ParseInt(r.PathValue("integration_id"), 10, 64)
	if err != nil {
		return sett.Errorf(sett.NotFound, "Integration not found")
	}
	of, err := in.tracker(r.Context(), id)
	if err != nil {
		return err
	}
	if !webhook.ReadsIssues(of.Type) {
		return sett.Errorf(sett.NotFound, "An integration of the type %s has no webhook.", of.Type)
	}
	news, err := in.readIssue(w, r, of)
	if err != nil {
		return err
	}
	serve.Known(r.Context())
	own := news.Comment != nil && news.Comment.Own(in.baseURL)
	if of.Active && !news.Empty() && !own {
		if err := in.faults.HearIssue(r.Context(), in.now(), of, news); err != nil {
			return in.db.Explain(err)
		}
	}
	return serve.WriteJSON(w, http.StatusCreated, recorded{Status: "OK"})
}

func (in *Ingest) readIssue(w http.ResponseWriter, r *http.Request, of alerts.Integration) (n triage.IssueNews, err error) {
	secret := of.WebhookSecret()
	if secret == "" {
		return n, sett.Errorf(sett.Unauthenticated, "Nothing was recorded: this channel has no webhook secret yet. Open it in sett and save it, and sett makes one.")
	}
	body, err := signedBody(w, r, webhook.MostIssueBody)
	if err != nil {
		return n, err
	}
	n, err = webhook.ReadIssue(of.Type, r.Header, r.URL.Query().Get("token"), body, secret, in.now())
	if errors.Is(err, webhook.ErrIssueSignature) {
		return n, sett.Errorf(sett.Unauthenticated, "Nothing was recorded: %s", err.Error())
	}
	if err == nil && !n.Empty() && !n.In(of.Options) {
		return n, sett.Errorf(sett.Invalid, "Nothing was recorded: this is about an issue of %s, which is not the project of the channel. Use the address and secret of a channel for that project.", n.Places[0])
	}
	return n, err
}
