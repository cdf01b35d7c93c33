package demo

import (
	"context"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/status"
	"sett/internal/store/statusdb"
)

// statusPage is the public status page of the company.
type statusPage struct{ id string }

// makePage makes the status pages: a public one, and one that only those see who know its password.
func (w *world) makePage(ctx context.Context) error {
	rules := status.StatusPageRules{Plan: accounts.SelfHosted}
	ctx = w.by(ctx, w.from.Add(-6*time.Hour), w.people["ada"], "createStatusPage", "Acme Ltd", map[string]string{"account_id": w.AccountID}, nil)
	picture, err := logo()
	if err != nil {
		return err
	}
	c := change[status.StatusPageChange](`{"name":"Acme status","slug":"acme","automatic_incidents":true,"response_times":true,"logo":%q,
		"features":{"home_link":"https://www.acme.test","accent_color":"#126e82"},
		"sites":[{"site_id":%q,"display_name":"Checkout","description":"Carts, orders and payments","group":"Shop"},{"site_id":%q,"display_name":"Storefront","group":"Shop"},
			{"site_id":%q,"display_name":"Search"}],
		"check_ins":[{"check_in_id":%q,"display_name":"Order emails"}]}`, picture, w.sites[0].ID, w.sites[3].ID, w.sites[4].ID, w.checkIns[1].ID)
	made, err := w.store.Status.CreateStatusPage(ctx, w.from.Add(-6*time.Hour), w.AccountID, rules, c.Prepare())
	if err != nil {
		return err
	}
	w.page = &statusPage{made.ID}
	w.StatusPageID, w.StatusSlug = made.ID, "acme"
	c = change[status.StatusPageChange](`{"name":"Acme for partners","slug":"acme-partners","search_engine_indexing_disabled":true,
		"sites":[{"site_id":%q},{"site_id":%q}]}`, w.sites[5].ID, w.sites[6].ID)
	_, err = w.store.Status.CreateStatusPage(ctx, w.from.Add(-5*time.Hour), w.AccountID, rules, c)
	return err
}

// planPage plans what people write on the page, and who reads it.
func (w *world) planPage() {
	for i := range 24 {
		address := fmt.Sprintf("%s@example.org", visitors[i])
		w.history.at(w.daysAgo(85-3*i, "13:00"), "subscribe", func(ctx context.Context, now time.Time) error {
			return w.store.Status.SubscribeEmail(ctx, now, w.page.id, address)
		})
		if i%8 == 7 {
			continue // who did not confirm
		}
		w.history.at(w.daysAgo(85-3*i, "13:04"), "confirm a subscription", func(ctx context.Context, now time.Time) error {
			token := w.dispatcher.tokens[address]
			if _, err := w.store.Status.ConfirmSubscriber(ctx, now, w.page.id, token); err != nil || i%4 != 2 {
				return err
			}
			page, err := w.store.Status.StatusPageByID(ctx, w.AccountID, w.page.id)
			if err != nil {
				return err
			}
			return w.store.Status.ChooseComponents(ctx, now, w.page.id, token, []int64{page.Components[0].ID})
		})
	}
	w.planIncident(10, "Slow checkout in Europe", w.sites[0].ID, []said{
		{"13:31", "investigating", "Some orders take longer than ten seconds."},
		{"13:48", "identified", "One database replica is lagging."},
		{"14:20", "resolved", "A stuck replica was replaced."},
	})
	w.planPostMortem(9, "09:40", "Slow checkout in Europe", postMortem)
	w.planIncident(41, "Search shows old prices", w.sites[4].ID, []said{
		{"09:12", "investigating", "Search results show yesterday's prices."},
		{"10:05", "monitoring", "We are rebuilding the index. Prices on product pages are correct."},
		{"12:40", "resolved", "All prices are up to date."},
	})
	w.history.at(w.ago(40*time.Hour), "write a template", func(ctx context.Context, now time.Time) error {
		ctx = w.by(ctx, now, w.people["ines"], "makeTemplate", "Acme status", map[string]string{"account_id": w.AccountID, "status_page_id": w.page.id}, nil)
		_, err := w.store.Status.WriteTemplate(ctx, now, w.AccountID, w.page.id, 0, "Payments fail", change[status.IncidentChange](`{"name":"Payments fail","impact":"major",
			"message":"Some payments fail. Please do not order twice: we have your order.","site_ids":[%q],"component_states":{%q:"partial"}}`, w.sites[0].ID, w.sites[0].ID))
		return err
	})
	w.history.at(w.ago(30*time.Hour), "set a state by hand", w.setState)
	w.planMaintenance(w.daysAgo(9, "10:00"), w.daysAgo(6, "22:00"), "Database upgrade", "Orders cannot be placed for up to ten minutes.")
	w.planMaintenance(w.ago(20*time.Hour), w.daysAgo(-4, "22:00"), "Move to new load balancers", "Short interruptions of a few seconds are possible.")
}

// said is an update of an incident.
type said struct{ clock, status, message string }

func (w *world) planIncident(daysBefore int, name string, about sett.UUID, updates []said) {
	ines := w.people["ines"]
	var incident statusdb.ShownIncident
	for i, u := range updates {
		w.history.at(w.daysAgo(daysBefore, u.clock), "tell of an incident", func(ctx context.Context, now time.Time) (err error) {
			ctx = w.by(ctx, now, ines, "createStatusUpdate", "Acme Ltd", map[string]string{"account_id": w.AccountID, "status_page_id": w.page.id}, map[string]string{"message": u.message})
			if i == 0 {
				incident, err = w.store.Status.CreateIncident(ctx, now, w.AccountID, w.page.id, change[status.IncidentChange](`{"name":%q,"status":%q,"message":%q,"site_ids":[%q],"component_states":{%q:"partial"}}`, name, u.status, u.message, about, about))
				return err
			}
			_, err = w.store.Status.AddIncidentUpdate(ctx, now, w.AccountID, w.page.id, incident.ID, change[status.IncidentUpdateChange](`{"status":%q,"message":%q}`, u.status, u.message))
			return err
		})
	}
}

// postMortem is what the company found out about an incident.
const postMortem = `Between 13:31 and 14:20 UTC, one of ten orders in Europe took longer than ten seconds. No order was lost.

## What happened

A database replica stopped applying changes and kept answering. Carts that were read from it were old, so checkout tried again until another replica answered.

## What we do about it

- A replica that lags by more than five seconds gets no more requests. **Done.**
- We are notified of the lag before customers notice. **Done.**
- Checkout tries two replicas at the same time. *Planned for December.*`

// planPostMortem has people write a post-mortem of an incident, as a draft, and publish it two hours later.
func (w *world) planPostMortem(daysBefore int, clock, name, text string) {
	for hours, published := range map[time.Duration]bool{0: false, 2: true} {
		w.history.at(w.daysAgo(daysBefore, clock).Add(hours*time.Hour), "write a post-mortem", func(ctx context.Context, now time.Time) error {
			found, _, err := w.store.Status.ListIncidents(ctx, w.AccountID, w.page.id, statusdb.IncidentFilter{State: statusdb.PastIncident, Page: sett.Page{Size: 20}})
			if err != nil {
				return err
			}
			ctx = w.by(ctx, now, w.people["ines"], "savePostMortem", "Acme status", map[string]string{"account_id": w.AccountID, "status_page_id": w.page.id}, nil)
			for _, i := range found {
				if i.Name == name {
					return w.store.Status.UpdateIncident(ctx, now, w.AccountID, w.page.id, i.ID, change[status.IncidentChange](`{"postmortem":%q,"postmortem_published":%t,"postmortem_notify":true}`, text, published))
				}
			}
			return fmt.Errorf("there is no incident %q", name)
		})
	}
}

// setState sets what the checks of the search cannot see.
func (w *world) setState(ctx context.Context, now time.Time) error {
	page, err := w.store.Status.StatusPageByID(ctx, w.AccountID, w.page.id)
	if err != nil {
		return err
	}
	ctx = w.by(ctx, now, w.people["ines"], "setComponentState", "Search", map[string]string{"account_id": w.AccountID, "status_page_id": w.page.id}, nil)
	return w.store.Status.SetComponentState(ctx, now, w.AccountID, w.page.id, page.Components[2].ID, status.ManualStateChange{
		State: string(status.ComponentDegraded), Note: "New products appear in the search after up to an hour.",
	})
}

func (w *world) planMaintenance(announced, starts time.Time, name, message string) {
	w.history.at(announced, "announce maintenance", func(ctx context.Context, now time.Time) error {
		c := change[status.IncidentChange](`{"kind":"maintenance","name":%q,"message":%q,"starts_at":%q,"ends_at":%q,"site_ids":[%q]}`,
			name, message, starts.Format(time.RFC3339), starts.Add(2*time.Hour).Format(time.RFC3339), w.sites[0].ID)
		_, err := w.store.Status.CreateIncident(ctx, now, w.AccountID, w.page.id, c)
		return err
	})
	for _, at := range []time.Time{starts, starts.Add(2 * time.Hour)} {
		w.history.at(at, "move maintenance on", w.moveIncidents)
	}
}

func (w *world) moveIncidents(ctx context.Context, now time.Time) error {
	_, err := w.store.Status.MoveIncidents(ctx, now)
	return err
}
