package deliverydb_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/store"
	"sett/internal/store/deliverydb"
	"sett/internal/store/storetest"
)

// sinceDeployed is a query that reads the deploys, which tests break.
const sinceDeployed = `created.after:"last deploy"`

// filtered is an integration with filters of all events.
func filtered(queries ...string) func(*alerts.Integration) {
	return func(i *alerts.Integration) {
		for _, q := range queries {
			i.Filters = append(i.Filters, alerts.IntegrationFilter{Event: "all", Query: q})
		}
	}
}

// breakDeploys makes every search that reads them fail.
func (d *desk) breakDeploys() { d.Run(`ALTER TABLE deploys RENAME TO no_deploys`) }

// endlessDeploys makes every search that reads them take forever.
func (d *desk) endlessDeploys() {
	d.breakDeploys()
	d.Run(`CREATE VIEW deploys AS WITH RECURSIVE n(i) AS (SELECT CAST(1 AS bigint) UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS project_id, 1 AS created_at FROM n`)
}

// notes lists all deliveries as "<integration> <event>: <note>", the integrations by their names.
func (d *desk) notes(names map[int64]string) (lines []string) {
	d.T.Helper()
	found, err := d.Deliveries.Deliveries(d.T.Context(), d.Read, `SELECT `+deliverydb.DeliveryColumns+` FROM deliveries d ORDER BY d.id`)
	if err != nil {
		d.T.Fatal(err)
	}
	for _, f := range found {
		lines = append(lines, strings.TrimSuffix(fmt.Sprintf("%s %s: %s", names[f.IntegrationID], f.Event, f.Note), ": "))
	}
	slices.Sort(lines)
	return lines
}

// A filter that cannot be searched lets everything through, says so, and is in no other filter's way.
func TestFiltersThatCannotBeSearched(t *testing.T) {
	t.Parallel()
	for problem, c := range map[string]struct {
		breaks  func(*desk)
		timeout bool
		note    string
	}{
		"error":     {(*desk).breakDeploys, false, "The filter %.60q could not be searched, so this message was sent as if the filter matched."},
		"long time": {(*desk).endlessDeploys, true, "The search of the filter %.60q took too long, so this message was sent as if the filter matched. Simplify the filter."},
	} {
		t.Run(problem, func(t *testing.T) {
			t.Parallel()
			storetest.Engines(t, func(t *testing.T, s *store.Store) {
				*s.Deliveries.SearchTime() = deliverydb.SearchTime{Each: time.Second, All: time.Minute}
				d := newDesk(t, s)
				d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"), d.Report("Ignored"))
				d.Run(`UPDATE faults SET ignored = true WHERE class = 'Ignored'`)
				names := map[int64]string{
					d.WebHook(filtered(sinceDeployed)).ID:                             "bad",
					d.WebHook(filtered(sinceDeployed, "class:E")).ID:                  "bad or good",
					d.WebHook(filtered(sinceDeployed, "class:Other")).ID:              "bad or other",
					d.WebHook(filtered("class:E")).ID:                                 "good",
					d.WebHook(filtered("message:happened")).ID:                        "searched later",
					d.WebHook(filtered("message:other")).ID:                           "searched in vain",
					d.WebHook(filtered("created.after:rubbish")).ID:                   "no query",
					d.WebHook(filtered(sinceDeployed), limited(1)).ID:                 "limited",
					d.WebHook(func(i *alerts.Integration) { i.Active = false }).ID:    "off",
					d.WebHook(filtered(sinceDeployed, "class:E"), limited(9_000)).ID:  "bad or good again",
					d.WebHook(filtered("-class:Other"), limited(9_000)).ID:            "negated",
					d.WebHook(filtered("-class:E", "class:Ignored"), limited(900)).ID: "ignored",
				}
				c.breaks(d)
				d.nothingHappened()
				d.Happen(storetest.Noon, d.About("E", alerts.AlertOccurred, alerts.AlertFacts{}), alerts.Alert{Event: alerts.AlertDown, Subject: "site a"},
					d.About("Ignored", alerts.AlertOccurred, alerts.AlertFacts{}))
				got, err := s.Deliveries.FanOutAlerts(t.Context(), storetest.Noon, 100, false)
				if err != nil {
					t.Fatal(err)
				}
				note := " occurred: " + fmt.Sprintf(c.note, sinceDeployed)
				unread := " occurred: " + `The filter "created.after:rubbish" could not be searched, so this message was sent as if the filter matched.`
				want := []string{
					"bad" + note, "bad or good occurred", "bad or good again occurred", "bad or other" + note, "good occurred",
					"limited" + note, "negated occurred", "no query" + unread, "searched later occurred",
				}
				for _, name := range names {
					if name != "off" {
						want = append(want, name+" down")
					}
				}
				slices.Sort(want)
				if diff := cmp.Diff(want, d.notes(names)); diff != "" {
					t.Errorf("deliveries (-want +got):\n%s", diff)
				}
				if len(got.Unsearched) != 2 || got.Unsearched[1].Query != "created.after:rubbish" || got.Unsearched[1].Err == nil {
					t.Fatalf("not searched: %+v", got.Unsearched)
				}
				first := got.Unsearched[0]
				if first.Query != sinceDeployed || first.ProjectID != d.ProjectID || first.Err == nil || errors.Is(first.Err, context.DeadlineExceeded) != c.timeout {
					t.Errorf("not searched: %+v", first)
				}
				if left := d.Numbers(`SELECT count(*) FROM alerts WHERE NOT spread`, 1)[0]; left > 0 {
					t.Errorf("%d alerts are left", left)
				}
			})
		})
	}
}

// A note stays whatever becomes of the delivery.
func TestNotesOfDeliveriesStay(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		i := d.WebHook(filtered(sinceDeployed))
		d.breakDeploys()
		d.FanOut(storetest.Noon)
		for _, state := range []alerts.DeliveryState{alerts.DeliveryDue, alerts.DeliverySent} {
			claimed := d.ClaimAll(storetest.Noon)
			d.Settled(storetest.Noon, state, storetest.Noon, claimed...)
			found, _, err := s.Deliveries.ListDeliveries(t.Context(), d.ProjectID, i.ID, sett.Page{Size: 9})
			if err != nil || len(found) != 1 || len(claimed) != 1 || found[0].Note == "" || found[0].Note != claimed[0].Note || found[0].State != state {
				t.Errorf("%s: %+v, claimed %+v, %v", state, found, claimed, err)
			}
		}
	})
}

// A search is broken off also while it looks at notices.
func TestSearchesOfNoticesThatTakeTooLong(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		*s.Deliveries.SearchTime() = deliverydb.SearchTime{Each: time.Second, All: time.Minute}
		d := newDesk(t, s)
		d.Record(storetest.Noon.Add(-48*time.Hour), accounts.Limits{}, d.Report("Old"))
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("New"))
		i := d.WebHook(filtered("occurred.before:" + storetest.Noon.Add(-24*time.Hour).Format(time.RFC3339)))
		d.Run(`ALTER TABLE fault_notices RENAME TO no_fault_notices`)
		d.Run(`CREATE VIEW fault_notices AS SELECT id, fault_id FROM no_fault_notices UNION ALL SELECT -1, -i FROM (
			WITH RECURSIVE n(i) AS (SELECT CAST(1 AS bigint) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n) e`)
		got, err := s.Deliveries.FanOutAlerts(t.Context(), storetest.Noon, 100, false)
		if lines := d.notes(map[int64]string{i.ID: "hook"}); err != nil || len(lines) != 2 || len(got.Unsearched) != 1 || !strings.Contains(lines[1], "took too long") {
			t.Errorf("%v, deliveries %q", err, lines)
		}
	})
}

// A canceled fan-out creates no deliveries, and leaves its alerts for the next one.
func TestFanOutThatIsStopped(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		*s.Deliveries.SearchTime() = deliverydb.SearchTime{Each: time.Hour, All: time.Hour}
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		d.WebHook(filtered(sinceDeployed))
		d.endlessDeploys()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if got, err := s.Deliveries.FanOutAlerts(ctx, storetest.Noon, 100, false); err == nil || got.Deliveries > 0 {
			t.Errorf("spread %+v, %v", got, err)
		}
		if left := d.Numbers(`SELECT count(*) FROM alerts WHERE NOT spread`, 1)[0]; left != 1 {
			t.Errorf("%d alerts are left", left)
		}
	})
}

func TestShares(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		all, most time.Duration
		needs     []time.Duration
		want      string
	}{
		"what one leaves is for others": {8, 9, []time.Duration{9, 0, 9, 9}, "[2s 0s 3s 3s]"},
		"no more than most":             {8, 1, []time.Duration{9, 9, 0}, "[1s 1s 0s]"},
		"one":                           {8, 9, []time.Duration{9}, "[8s]"},
		"enough":                        {8, 9, []time.Duration{1, 1, 1}, "[1s 1s 1s]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), c.all*time.Second)
				defer cancel()
				var took []time.Duration
				err := deliverydb.InShares(ctx, len(c.needs), c.most*time.Second, func(ctx context.Context, n int) error {
					began := time.Now()
					select {
					case <-ctx.Done():
					case <-time.After(c.needs[n] * time.Second):
					}
					took = append(took, time.Since(began))
					return nil
				})
				if got := fmt.Sprint(took); got != c.want || err != nil {
					t.Errorf("took %s, %v, want %s", got, err, c.want)
				}
			})
		})
	}
}
