package statusadmin

import (
	"net/http"

	"sett/internal/sett/status"
	"sett/internal/web"
)

// subscriberList is the subscribers of a status page.
type subscriberList struct {
	about
	Subscribers []subscriberRow
	Pager       web.Pager
	Empty       web.Empty
}

// subscriberRow is one of them.
type subscriberRow struct {
	status.StatusSubscriber
	Is web.State
}

const subscribersPerPage = 50

func (p *pages) subscribers(w http.ResponseWriter, r *http.Request) error {
	one, err := p.Status.StatusPageByID(r.Context(), account(r), r.PathValue("status_page_id"))
	if err != nil {
		return err
	}
	found, marks, err := p.Status.ListSubscribers(r.Context(), one.AccountID, one.ID, web.PageOf(r, subscribersPerPage))
	if err != nil {
		return err
	}
	page := subscriberList{about: p.about(r, one, "subscribers", "subscribers"), Pager: p.NewPager(r, marks), Empty: web.Empty{
		Title: "No subscribers yet", Text: "People subscribe on the status page, by email or webhook, and are notified of incidents and scheduled maintenance.",
		Action: "Open page", Link: one.Address(p.BaseURL), Manual: p.At("/docs/status-pages"),
	}}
	for _, s := range found {
		page.Subscribers = append(page.Subscribers, subscriberRow{s, subscriberWords(s)})
	}
	return p.Show(w, r, http.StatusOK, "status_subscribers", page)
}

func subscriberWords(s status.StatusSubscriber) web.State {
	switch {
	case s.ConfirmedAt.IsZero() && s.Problem != "":
		return web.State{Mood: web.Critical, Word: "Disabled"}
	case s.ConfirmedAt.IsZero():
		return web.State{Mood: web.Muted, Word: "Not confirmed"}
	case s.Problem != "":
		return web.State{Mood: web.Warning, Word: "Failing"}
	}
	return web.State{Mood: web.Fine, Word: "Confirmed"}
}

func (p *pages) removeSubscriber(w http.ResponseWriter, r *http.Request) error {
	err := p.Status.DeleteSubscriber(r.Context(), account(r), r.PathValue("status_page_id"), web.PathID(r, "subscriber_id"))
	if err != nil {
		return err
	}
	return p.Done(w, to(r, "/subscribers"), "subscriber_gone")
}
