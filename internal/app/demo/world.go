package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sett/internal/ingest/event"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
)

// world is the company while its history is made.
type world struct {
	Summary
	store    *store.Store
	seed     uint64
	scale    int
	days     int
	thin     int       // see Options
	from, to time.Time // of the history
	ids      dice      // that ids, keys and tokens are drawn from
	password string

	history    history
	dispatcher *dispatcher
	people     map[string]*person
	staff      []*person
	projects   []*project
	sites      []*site
	checkIns   []*checkIn
	facets     event.Facets // room for reading a notice
	page       *statusPage
}

func newWorld(s *store.Store, o Options) *world {
	w := &world{
		store: s, seed: o.Seed, scale: o.Scale, days: o.days(), thin: o.thin(), from: o.Now.AddDate(0, 0, -o.days()), to: o.Now,
		ids: newDice(o.Seed, "ids"), password: o.Password, people: map[string]*person{},
	}
	w.dispatcher = newDispatcher(w, o)
	w.history = history{began: w.from, ended: w.to, after: w.dispatcher.dispatch}
	return w
}

// dice returns the dice for a part of the history.
func (w *world) dice(name string) dice { return newDice(w.seed, name) }

// found makes what was there before the history begins.
func (w *world) found(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		w.hire, w.makeProjects, w.formTeams, w.makeSites, w.makeCheckIns, w.makeIntegrations, w.makePage, w.makeAgents,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// plan says what happens in the history.
func (w *world) plan() {
	w.planDeploys()
	w.planNotices()
	w.planEvents()
	w.planCare()
	w.planChecks()
	w.planPings()
	w.planPage()
	w.planPeople()
	w.planClockwork()
}

// settle brings what follows the facts up to the end of the history.
func (w *world) settle(ctx context.Context) error {
	if err := errors.Join(w.clockwork(ctx, w.to), w.occupy(ctx, w.to), w.dispatcher.deliverAlerts(ctx, w.to), w.dispatcher.mail(ctx, w.to)); err != nil {
		return err
	}
	for _, stop := range w.dispatcher.stop {
		stop()
	}
	w.Site = w.SiteID.String()
	if err := w.findAlert(ctx); err != nil {
		return err
	}
	return w.store.Intake.Settle(ctx) // positions are otherwise saved from time to time, as fast as the machine is
}

// findAlert finds a message whose link acknowledges something.
func (w *world) findAlert(ctx context.Context) error {
	sent, _, err := w.store.Deliveries.ListDeliveries(ctx, w.ProjectID, w.IntegrationID, sett.Page{Size: 100})
	for _, d := range sent {
		a, err := w.store.Deliveries.Acknowledging(ctx, d.AlertID)
		if err != nil {
			return err
		}
		if a.Problem != nil {
			w.AlertID = d.AlertID
			return nil
		}
	}
	return err
}

// ago returns the time that lies so long before the end of the history.
func (w *world) ago(d time.Duration) time.Time { return w.to.Add(-d) }

// daysAgo returns a time of day some days before the end of the history.
func (w *world) daysAgo(n int, clock string) time.Time {
	t, err := time.Parse("15:04", clock)
	if err != nil {
		panic(err) // it is written in this package
	}
	return accounts.Day(w.to).AddDate(0, 0, -n).Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute)
}

// change reads a change as clients send it. The text is written in this package.
func change[T any](text string, args ...any) T {
	var c T
	if err := json.Unmarshal(fmt.Appendf(nil, text, args...), &c); err != nil {
		panic(fmt.Sprintf("%s: %v", fmt.Sprintf(text, args...), err))
	}
	return c
}

// quoted is a text as JSON has it.
func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // no text fails
	}
	return string(b)
}
