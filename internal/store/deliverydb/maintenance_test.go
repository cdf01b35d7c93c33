package deliverydb_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/sett/maintenance"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// minute is a time after noon.
func minute(n int) time.Time { return storetest.Noon.Add(time.Duration(n) * time.Minute) }

// window creates a maintenance window between two minutes.
func (d *desk) window(now time.Time, from, to int, change ...func(*maintenance.WindowChange)) maintenance.Window {
	d.T.Helper()
	c := maintenance.WindowChange{Reason: sett.Some("Upgrade"), StartsAt: sett.Some(minute(from).Format(time.RFC3339)), EndsAt: sett.Some(minute(to).Format(time.RFC3339))}
	for _, f := range change {
		f(&c)
	}
	w, err := d.Deliveries.CreateMaintenance(d.T.Context(), now, d.UserID, d.ProjectID, c)
	if err != nil {
		d.T.Fatal(err)
	}
	return w
}

// goes fans out, settles windows and fans out again, as the loops do, and returns what is sent.
func (d *desk) goes(now time.Time) (sent []string) {
	d.T.Helper()
	d.FanOut(now)
	if err := d.Deliveries.SettleMaintenance(d.T.Context(), now); err != nil {
		d.T.Fatal(err)
	}
	d.FanOut(now)
	claimed := d.ClaimAll(now)
	d.Settled(now, alerts.DeliverySent, now, claimed...)
	for _, c := range claimed {
		name := string(c.Subject)
		if id, err := sett.ParseUUID(c.Subject.ID()); err == nil {
			site, err := d.Uptime.SiteByID(d.T.Context(), d.ProjectID, id)
			if err != nil {
				d.T.Fatal(err)
			}
			name = site.Name
		}
		sent = append(sent, fmt.Sprint(name, " ", c.Event))
	}
	return sent
}

func (d *desk) wantSent(when string, now time.Time, want ...string) {
	d.T.Helper()
	if diff := cmp.Diff(want, d.goes(now)); diff != "" {
		d.T.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

func (d *desk) wantWindow(when string, w maintenance.Window, now time.Time, state maintenance.State, held, sent int64) {
	d.T.Helper()
	got, err := d.Deliveries.MaintenanceByID(d.T.Context(), d.ProjectID, w.ID)
	if err != nil || got.State(now) != state || got.Held != held || got.Sent != sent {
		d.T.Errorf("%s: the window is %s, held %d and sent %d, %v; want %s, %d, %d", when, got.State(now), got.Held, got.Sent, err, state, held, sent)
	}
}

// checks records a check of a site at a minute.
func (d *desk) checks(at int, site checks.Site, up bool) {
	d.T.Helper()
	d.Checked(minute(at).Add(time.Second), storetest.Look(site, checks.Virginia, minute(at), up))
}

// maintained is a project with two sites that are up and a webhook.
func maintained(t *testing.T, s *store.Store) (d *desk, a, b checks.Site) {
	t.Helper()
	d = newDesk(t, s)
	d.WebHook()
	d.Live(storetest.Noon, checks.Virginia)
	a, b = d.Site(d.ProjectID, storetest.Named("A")), d.Site(d.ProjectID, storetest.Named("B"))
	d.checks(0, a, true)
	d.checks(0, b, true)
	return d, a, b
}

// Outages in a window are recorded and not sent. At its end, what is still down is sent once, and what has recovered never.
func TestMaintenanceHoldsOutages(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, a, b := maintained(t, s)
		d.checks(1, a, false)
		w := d.window(minute(1), 2, 10)
		d.wantSent("before the window", minute(2).Add(-time.Second), "A down")
		d.checks(2, b, false)
		d.checks(3, a, true)
		d.wantSent("the end of a known outage", minute(4), "A up")
		d.checks(5, a, false)
		d.checks(6, b, true)
		d.checks(7, b, false)
		d.wantSent("in the window", minute(8))
		d.wantWindow("in the window", w, minute(8), maintenance.Active, 4, 0)
		if got := d.FindSite(b); got.State != sett.SiteDown || len(d.OutagesOf(b)) != 2 {
			t.Errorf("B is %s with %d outages", got.State, len(d.OutagesOf(b)))
		}
		d.checks(9, a, true)
		d.wantSent("a moment before the end", minute(10).Add(-time.Microsecond))
		d.wantSent("at the end", minute(10), "B down")
		d.wantSent("afterwards", minute(11))
		d.wantWindow("afterwards", w, minute(11), maintenance.Ended, 5, 1)
		d.checks(12, b, true)
		d.checks(13, a, false)
		d.wantSent("as usual", minute(13), "B up", "A down")
	})
}

// Users need not wait until a window they ended can be deleted.
func TestMaintenanceIsDeletedAsSoonAsItHasEnded(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, a, _ := maintained(t, s)
		w := d.window(minute(1), 1, 600)
		d.checks(2, a, false)
		d.wantSent("in the window", minute(3))
		if err := d.Deliveries.EndMaintenance(t.Context(), minute(4), d.ProjectID, w.ID); err != nil {
			t.Fatal(err)
		}
		if err := d.Deliveries.DeleteMaintenance(t.Context(), minute(4), d.ProjectID, w.ID); err != nil {
			t.Fatal(err)
		}
		d.wantSent("once it is deleted", minute(4), "A down")
	})
}

// A window of one site holds nothing about others; a change that ends it sends what it has held.
func TestMaintenanceOfOneSiteEndsEarly(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, a, b := maintained(t, s)
		w := d.window(minute(1), 1, 600, func(c *maintenance.WindowChange) {
			c.SiteIDs, c.EndsAt = sett.Some([]string{a.ID.String()}), sett.Optional[string]{Sent: true, Null: true}
		})
		if !w.UntilEnded || !w.EndsAt.Equal(minute(1).Add(maintenance.LongestOpen)) {
			t.Errorf("it ends at %v, %v", w.EndsAt, w.UntilEnded)
		}
		d.checks(2, a, false)
		d.checks(2, b, false)
		d.wantSent("in the window", minute(3), "B down")
		if err := d.Deliveries.DeleteMaintenance(t.Context(), minute(3), d.ProjectID, w.ID); sett.CodeOf(err) != sett.Conflict {
			t.Errorf("a window that holds alerts was deleted: %v", err)
		}
		if err := d.Deliveries.EndMaintenance(t.Context(), minute(4), d.ProjectID, w.ID); err != nil {
			t.Fatal(err)
		}
		d.wantSent("at the end", minute(4), "A down")
		if err := d.Deliveries.EndMaintenance(t.Context(), minute(5), d.ProjectID, w.ID); sett.CodeOf(err) != sett.Conflict {
			t.Errorf("it ended twice: %v", err)
		}
		if err := d.Deliveries.DeleteMaintenance(t.Context(), minute(5), d.ProjectID, w.ID); err != nil {
			t.Error(err)
		}
	})
}

// A check-in that stays missing is sent once, the last time that it was missed; one that was known to be missing is sent when it reports.
func TestMaintenanceHoldsMissingCheckIns(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook()
		d.BeatAt(storetest.Noon)
		known, dead, back := d.CheckIn(d.ProjectID, storetest.Hourly("known")), d.CheckIn(d.ProjectID, storetest.Hourly("dead")), d.CheckIn(d.ProjectID, storetest.Hourly("back"))
		d.PingAt(minute(0), known)
		d.PingAt(minute(10), dead, back)
		sweep := func(at int) {
			d.Run(`UPDATE beats SET last_at = $1`, minute(at).Add(-time.Second).UnixMicro()) // a server was running
			d.BeatAt(minute(at))
			d.SweepAll(minute(at), 100)
		}
		sweep(66)
		d.wantSent("before", minute(66), d.named(known)+" check_in_missing")
		w := d.window(minute(67), 70, 400)
		sweep(80)  // dead and back
		sweep(130) // known again
		d.PingAt(minute(131), known, back)
		sweep(150) // dead again
		d.wantSent("in the window", minute(151), d.named(known)+" check_in_reporting")
		d.PingAt(minute(180), known, back)
		d.wantWindow("in the window", w, minute(151), maintenance.Active, 5, 0)
		if err := d.Deliveries.EndMaintenance(t.Context(), minute(185), d.ProjectID, w.ID); err != nil {
			t.Fatal(err)
		}
		d.wantSent("at the end", minute(185), d.named(dead)+" check_in_missing")
		d.wantWindow("at the end", w, minute(186), maintenance.Ended, 5, 1)
	})
}

func (d *desk) named(c checks.CheckIn) string { return string(alerts.CheckInSubject(c.ID)) }

// Errors are held only where that is asked for. Those that were resolved meanwhile are not sent.
func TestMaintenanceHoldsErrors(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook()
		sites := d.window(minute(0), 0, 60)
		d.Record(minute(1), accounts.Limits{}, d.Report("Known"))
		known := d.Fault("Known").ID
		d.wantSent("a window without errors", minute(1), fmt.Sprint("fault ", known, " occurred"))
		d.window(minute(2), 2, 30, func(c *maintenance.WindowChange) { c.Errors = sett.Some(true) })
		d.Record(minute(3), accounts.Limits{}, d.Report("Fixed"), d.Report("Stays"))
		d.wantSent("a window with errors", minute(4))
		fixed, stays := d.Fault("Fixed").ID, d.Fault("Stays").ID
		for _, id := range []int64{fixed, known} {
			if err := d.Faults.UpdateFault(t.Context(), minute(5), d.UserID, d.ProjectID, id, faults.FaultChange{Resolved: sett.Some(true)}); err != nil {
				t.Fatal(err)
			}
		}
		d.wantSent("resolved", minute(6), fmt.Sprint("fault ", known, " resolved"))
		d.wantSent("at the end", minute(30), fmt.Sprint("fault ", stays, " occurred"))
		d.wantWindow("the other window", sites, minute(31), maintenance.Active, 0, 0)
	})
}

// What a window would send at its end waits for another one that is active.
func TestMaintenanceWindowsOverlap(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, a, b := maintained(t, s)
		first := d.window(minute(0), 1, 10)
		second := d.window(minute(0), 5, 20, func(c *maintenance.WindowChange) { c.SiteIDs = sett.Some([]string{a.ID.String()}) })
		d.checks(2, a, false)
		d.checks(2, b, false)
		d.wantSent("at the end of the first", minute(10), "B down")
		d.wantWindow("the first", first, minute(10), maintenance.Ended, 1, 1)
		d.wantWindow("the second", second, minute(10), maintenance.Active, 1, 0)
		d.wantSent("at the end of the second", minute(20), "A down")
		d.wantWindow("the second", second, minute(20), maintenance.Ended, 1, 1)
	})
}

// An alert of the window's time that no node had fanned out before its end is part of it, and an end that follows it too.
func TestMaintenanceWaitsForTheFanOut(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, a, _ := maintained(t, s)
		w := d.window(minute(0), 1, 10)
		d.checks(9, a, false)
		if err := d.Deliveries.SettleMaintenance(t.Context(), minute(10)); err != nil {
			t.Fatal(err)
		}
		if got, err := d.Deliveries.MaintenanceByID(t.Context(), d.ProjectID, w.ID); err != nil || !got.SettledAt.IsZero() {
			t.Errorf("the window was settled without its alert, %v", err)
		}
		d.FanOut(minute(10))
		d.checks(10, a, true)
		if err := d.Deliveries.SettleMaintenance(t.Context(), minute(11)); err != nil {
			t.Fatal(err)
		}
		d.wantSent("down and up", minute(11))
		d.wantSent("settled", minute(12))
		d.wantWindow("settled", w, minute(12), maintenance.Ended, 2, 0)
	})
}

// A site that is deleted or not checked any more is not down at the end, and old alerts that are held are not deleted.
func TestMaintenanceOfWhatIsGone(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, a, b := maintained(t, s)
		d.window(minute(0), 1, 10)
		d.checks(2, a, false)
		d.checks(2, b, false)
		d.FanOut(minute(3))
		if more, err := d.Deliveries.PruneAlerts(t.Context(), minute(10_000), 100); more || err != nil {
			t.Fatal(more, err)
		}
		if err := d.Uptime.UpdateSite(t.Context(), minute(4), d.ProjectID, a.ID, checks.SiteChange{Active: sett.Some(false)}); err != nil {
			t.Fatal(err)
		}
		d.wantSent("at the end", minute(10), "B down")
	})
}

// dying is a context that ends once it was asked so many times, as the process could at any moment.
type dying struct {
	context.Context
	left  atomic.Int64
	ended chan struct{}
}

func (c *dying) Done() <-chan struct{} {
	if c.left.Add(-1) == 0 {
		close(c.ended)
	}
	return c.ended
}

func (c *dying) Err() error {
	select {
	case <-c.ended:
		return context.Canceled
	default:
		return nil
	}
}

// A process may die at any moment of a window's end: the alerts are sent exactly once all the same.
func TestMaintenanceEndsInSpiteOfDeaths(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, a, b := maintained(t, s)
		w := d.window(minute(0), 1, 10)
		d.checks(2, a, false)
		d.checks(2, b, false)
		d.FanOut(minute(3))
		var deaths int
		for left := int64(1); ; left++ {
			ctx := &dying{Context: t.Context(), ended: make(chan struct{})}
			ctx.left.Store(left)
			err := d.Deliveries.SettleMaintenance(ctx, minute(10))
			if err == nil && ctx.Err() == nil {
				break
			}
			deaths++
		}
		if deaths < 5 {
			t.Errorf("it died only %d times", deaths)
		}
		d.wantSent("at the end", minute(10), "A down", "B down")
		d.wantWindow("at the end", w, minute(10), maintenance.Ended, 2, 2)
	})
}

// Nodes end a window at the same time, and its alerts are sent once.
func TestMaintenanceEndsOnTwoNodes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out PostgreSQL")
	}
	cluster := storetest.NewCluster(t)
	d, a, b := maintained(t, cluster.Node(t))
	other := &desk{storetest.DeskOf(cluster.Node(t), d.SetupResult, t)}
	w := d.window(minute(0), 1, 10)
	d.checks(2, a, false)
	d.checks(2, b, false)
	var nodes sync.WaitGroup
	for _, node := range []*desk{d, other, d, other} {
		nodes.Go(func() {
			for range 10 {
				if err := node.Deliveries.SettleMaintenance(t.Context(), minute(10)); err != nil {
					t.Error(err)
				}
				if _, err := node.Deliveries.FanOutAlerts(t.Context(), minute(10), 100, false); err != nil {
					t.Error(err)
				}
			}
		})
	}
	nodes.Wait()
	d.wantSent("at the end", minute(10), "A down", "B down")
	d.wantWindow("at the end", w, minute(10), maintenance.Ended, 2, 2)
}

func TestMaintenanceIsBounded(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		var last maintenance.Window
		for range maintenance.MostOpen {
			last = d.window(minute(0), 1, 10)
		}
		change := maintenance.WindowChange{EndsAt: sett.Some(minute(9).Format(time.RFC3339))}
		if _, err := d.Deliveries.CreateMaintenance(t.Context(), minute(0), d.UserID, d.ProjectID, change); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("there was room for another window: %v", err)
		}
		if err := d.Deliveries.UpdateMaintenance(t.Context(), minute(0), d.ProjectID, last.ID, change); err != nil {
			t.Errorf("a window cannot be changed: %v", err)
		}
		strange := maintenance.WindowChange{SiteIDs: sett.Some([]string{"3f2504e0-4f89-41d3-9a0c-0305e82c3301"})}
		if err := d.Deliveries.UpdateMaintenance(t.Context(), minute(0), d.ProjectID, last.ID, strange); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a strange site was accepted: %v", err)
		}
		d.goes(minute(10))
		if more, err := d.Deliveries.PruneMaintenance(t.Context(), minute(11), 60); !more || err != nil {
			t.Errorf("there is more: %v, %v", more, err)
		}
		left, _, err := d.Deliveries.ListMaintenance(t.Context(), d.ProjectID, sett.Page{Size: 1000})
		if err != nil || len(left) != maintenance.MostOpen-60 {
			t.Errorf("%d windows are left, %v", len(left), err)
		}
	})
}
