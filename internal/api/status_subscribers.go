package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
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
			Method: "GET", Path: subscribersPath, Name: "listSubscribers", Tag: tag, Permission: sett.ManageStatusPages,
			Result: serve.List[Subscriber]{}, Handle: a.listSubscribers,
			Doc: "Who is told what a status page tells, or was asked to confirm that they want to be. People subscribe on the page itself.",
		},
		{
			Method: "DELETE", Path: subscriberPath, Name: "deleteSubscriber", Tag: tag, Permission: sett.ManageStatusPages,
			Status: http.StatusNoContent, Handle: a.deleteSubscriber,
			Doc: "Tell somebody no more what a status page tells, and forget their address. They are not told of it, and can subscribe again.",
		},
	}
}

// Subscriber is somebody who is told what a status page tells.
type Subscriber struct {
	ID          int64               `json:"id"`
	Kind        sett.SubscriberKind `json:"kind" enum:"email,webhook"`
	Address     string              `json:"address" doc:"Of a webhook without its query, which may hold secrets."`
	ConfirmedAt *time.Time          `json:"confirmed_at" doc:"Null before they have confirmed that the address is theirs, and once nothing has reached them for 7 days, or a webhook has refused for good; nothing is sent then."`
	Problem     *string             `json:"problem" doc:"Why they could not be told the last time; null when they could."`
	CreatedAt   time.Time           `json:"created_at"`
}

func viewSubscriber(s sett.StatusSubscriber) Subscriber {
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
	found, marks, err := a.Store.ListSubscribers(r.Context(), r.PathValue("account_id"), r.PathValue("status_page_id"), page.Page)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(found, viewSubscriber), marks))
}

func (a *API) deleteSubscriber(w http.ResponseWriter, r *http.Request) error {
	err := a.Store.DeleteSubscriber(r.Context(), r.PathValue("account_id"), r.PathValue("status_page_id"), pathID(r, "subscriber_id"))
	return done(w, http.StatusNoContent, err)
}
