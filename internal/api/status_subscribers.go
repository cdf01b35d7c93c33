package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/status"
)

const (
	subscribersPath = "/v2/accounts/{account_id}/status_pages/{status_page_id}/subscribers"
	subscriberPath  = subscribersPath + "/{subscriber_id}"
)

// statusSubscriberRoutes are for those alone who manage status pages: subscribers have not chosen to be known to others.
func (a *API) statusSubscriberRoutes() []serve.Route {
	const tag = "Status pages"
	return []serve.Route{
		{
			Method: "GET", Path: subscribersPath, Name: "listSubscribers", Tag: tag, Permission: accounts.ManageStatusPages,
			Result: serve.List[Subscriber]{}, Handle: a.listSubscribers,
			Doc: "List the subscribers of a status page, including unconfirmed ones. Visitors subscribe on the page itself.",
		},
		{
			Method: "DELETE", Path: subscriberPath, Name: "deleteSubscriber", Tag: tag, Permission: accounts.ManageStatusPages,
			Status: http.StatusNoContent, Handle: a.deleteSubscriber,
			Doc: "Delete a subscriber and their address. They are not notified, and can subscribe again.",
		},
	}
}

// Subscriber is a subscriber of a status page.
type Subscriber struct {
	ID          int64                 `json:"id"`
	Kind        status.SubscriberKind `json:"kind" enum:"email,webhook"`
	Address     string                `json:"address" doc:"Email address or URL; without the query of the URL, which may contain secrets."`
	ConfirmedAt *time.Time            `json:"confirmed_at" doc:"Null before the subscription is confirmed, and after deliveries have failed for 7 days or a webhook has rejected them permanently. Nothing is sent then."`
	Problem     *string               `json:"problem" doc:"Error of the last delivery; null if it succeeded."`
	CreatedAt   time.Time             `json:"created_at"`
}

func viewSubscriber(s status.StatusSubscriber) Subscriber {
	v := Subscriber{ID: s.ID, Kind: s.Kind, Address: s.Shown(), ConfirmedAt: nullTime(s.ConfirmedAt), CreatedAt: s.CreatedAt}
	if s.Problem != "" {
		v.Problem = &s.Problem
	}
	return v
}

func (a *API) listSubscribers(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	found, marks, err := a.Status.ListSubscribers(r.Context(), r.PathValue("account_id"), r.PathValue("status_page_id"), page.Page)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(found, viewSubscriber), marks))
}

func (a *API) deleteSubscriber(w http.ResponseWriter, r *http.Request) error {
	err := a.Status.DeleteSubscriber(r.Context(), r.PathValue("account_id"), r.PathValue("status_page_id"), pathID(r, "subscriber_id"))
	return done(w, http.StatusNoContent, err)
}
