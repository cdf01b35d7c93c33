package statusadmin

import (
	"context"
	"net/http"
	"strings"

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
	Is     web.State
	Chosen string // the components that they are sent updates about
}

const subscribersPerPage = 50

func (p *pages) subscribers(w http.ResponseWriter, r *http.Request) error {
	watched, err := p.Status.WatchedStatusPage(r.Context(), account(r), r.PathValue("status_page_id"))
	if err != nil {
		return err
	}
	one := named(watched)
	found, marks, err := p.Status.ListSubscribers(r.Context(), one.AccountID, one.ID, web.PageOf(r, subscribersPerPage))
	if err != nil {
		return err
	}
	chosen, err := p.choicesOf(r.Context(), one, found)
	if err != nil {
		return err
	}
	page := subscriberList{about: p.about(r, one, "subscribers", "subscribers"), Pager: p.NewPager(r, marks), Empty: web.Empty{
		Title: "No subscribers yet", Text: "People subscribe on the status page, by email or webhook, and are notified of incidents and scheduled maintenance.",
		Action: "Open page", Link: one.Address(p.BaseURL), Manual: p.At("/docs/status-pages"),
	}}
	for _, s := range found {
		page.Subscribers = append(page.Subscribers, subscriberRow{s, subscriberWords(s), chosen[s.ID]})
	}
	return p.Show(w, r, http.StatusOK, "status_subscribers", page)
}

// choicesOf returns what subscribers chose, in words; page has the public names of its components.
func (p *pages) choicesOf(ctx context.Context, page status.StatusPage, subscribers []status.StatusSubscriber) (map[int64]string, error) {
	var ids []int64
	for _, s := range subscribers {
		ids = append(ids, s.ID)
	}
	choices, err := p.Status.SubscriberChoices(ctx, ids...)
	chosen := map[int64]string{}
	for id, choice := range choices {
		chosen[id] = choiceWords(page, choice)
	}
	return chosen, err
}

func choiceWords(page status.StatusPage, choice status.ComponentChoice) string {
	if !choice.Selective {
		return "All"
	}
	var names []string
	for _, c := range page.Components {
		if choice.Has(c.ID) {
			names = append(names, c.DisplayName)
		}
	}
	if len(names) == 0 { // the page no longer shows what they chose
		return "None"
	}
	return strings.Join(names, ", ")
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
