// Package demo generates the history of a fictional company that uses sett: users, projects, notices, deploys, sites and check-ins of the
// last 90 days. It fills an empty store through the store's own methods, so that every rule holds. The same seed, time and scale give the
// same history. It never sends anything: notifications are recorded as sent, and no address in it exists. It never reads the clock.
package demo

import (
	"cmp"
	"context"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store"
	"sett/internal/store/db"
)

// Options say which history is made.
type Options struct {
	Seed     uint64    `json:"seed"`
	Now      time.Time `json:"now"`   // when the history ends; required
	Scale    int       `json:"scale"` // amount of data, in multiples of 60,000 notices and 1,000 faults; 0 is 1
	Password string    `json:"-"`     // of the owner, as PHC text; "" for none

	Write func(ctx context.Context, a alerts.Alert) (message []byte, title string, err error) `json:"-"` // what receivers of an alert are sent

	Short bool `json:"short,omitempty"` // tests make a few days, and few notices
}

// MostScale is how large a history may be.
const MostScale = 100

// days are how many the history is long: as long as notices are kept by default.
const days = 90

// A short history has fewer days, and in them one of so many notices and small faults.
const (
	shortDays = 16
	thin      = 4
)

func (o Options) days() int {
	if o.Short {
		return shortDays
	}
	return days
}

func (o Options) thin() int {
	if o.Short {
		return thin
	}
	return 1
}

// Summary names what tests and benchmarks look for.
type Summary struct {
	AccountID     string    `json:"account_id"`
	OwnerID       int64     `json:"owner_id"`
	Email         string    `json:"email"` // of the owner
	Token         string    `json:"token"` // a personal token of the owner
	ProjectIDs    []int64   `json:"project_ids"`
	ProjectID     int64     `json:"project_id"`     // of checkout-api, which has everything
	APIKey        string    `json:"api_key"`        // of that project
	FaultID       int64     `json:"fault_id"`       // in it: reopened, with comments, a linked issue and an assignee
	PausedID      int64     `json:"paused_id"`      // in it: a fault that is paused
	SiteID        sett.UUID `json:"-"`              // in it: a site that has had outages
	Site          string    `json:"site_id"`        // the same as text
	CheckInID     string    `json:"check_in_id"`    // in it: the nightly backup
	IntegrationID int64     `json:"integration_id"` // in it: with deliveries of every kind
	AlertID       int64     `json:"alert_id"`       // of those: about a problem that goes on
	StatusPageID  string    `json:"status_page_id"`
	StatusSlug    string    `json:"status_slug"`
	Notices       int64     `json:"notices"` // that were stored
	Faults        int64     `json:"faults"`
}

// Fill writes a history into a store with a current schema and no other users of it. A store that already has a user is a
// Conflict error, and stays unchanged.
func Fill(ctx context.Context, s *store.Store, o Options) (Summary, error) {
	w, err := fill(ctx, s, o)
	if err != nil {
		return Summary{}, err
	}
	return w.Summary, nil
}

// fill is Fill, and returns the world so that it can go on.
func fill(ctx context.Context, s *store.Store, o Options) (*world, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	used, err := s.Accounts.HasUsers(ctx)
	if err != nil {
		return nil, err
	}
	if used {
		return nil, sett.Errorf(sett.Conflict, "The database is not empty. A demo needs an empty one.")
	}
	w := newWorld(s, o)
	ctx = db.WithRandom(ctx, w.ids)
	if err := w.found(ctx); err != nil {
		return nil, err
	}
	w.plan()
	if err := w.history.run(ctx); err != nil {
		return nil, err
	}
	return w, errors.Join(w.settle(ctx), w.backUp(ctx, o.Now), s.Sync())
}

func (o *Options) check() error {
	var p sett.Problems
	o.Scale = cmp.Or(o.Scale, 1)
	if o.Scale < 1 || o.Scale > MostScale {
		p.Add("scale", "must be from 1 to %d", MostScale)
	}
	if o.Now.Year() < 2000 || o.Now.Year() > 2200 {
		p.Add("now", "must be a time from the year 2000 to 2200")
	}
	o.Now = o.Now.UTC().Truncate(time.Second)
	return p.Refusal()
}
