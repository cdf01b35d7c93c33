package deliverydb_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/store"
	"sett/internal/store/deliverydb"
	"sett/internal/store/storetest"
)

// found returns the routes of all alerts.
func (d *desk) found(ctx context.Context) *deliverydb.Routings {
	d.T.Helper()
	h := &deliverydb.Routings{S: d.Deliveries.Own(), Now: storetest.Noon, Mail: true}
	if err := h.Find(ctx, 100); err != nil {
		d.T.Fatal(err)
	}
	return h
}

// written creates the deliveries of what was found, in one attempt.
func (d *desk) written(h *deliverydb.Routings) error {
	return d.Deliveries.TryInOwnTx(d.T.Context(), func(t deliverydb.Tx) error {
		_, _, err := t.FanOut(d.T.Context(), h, h.Alerts, h.Routes())
		return err
	})
}

// Many deliveries are made in several transactions, in the order of their alerts.
func TestPartsOfManyDeliveries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		routes []int // of each alert
		want   string
	}{
		{[]int{0, 0, 0}, "[3]"},
		{[]int{400, 400, 200, 0}, "[4]"},
		{[]int{400, 400, 201, 0, 800}, "[2 2 1]"},
		{[]int{1001, 0, 1, 2000}, "[1 2 1]"},
		{[]int{2, 2000, 2}, "[1 1 1]"},
	} {
		var raised []alerts.Alert
		var routes []deliverydb.Route
		for i, n := range c.routes {
			raised = append(raised, alerts.Alert{ID: int64(i + 1)})
			for range n {
				routes = append(routes, deliverydb.Route{Alert: &alerts.Alert{ID: int64(i + 1)}})
			}
		}
		var sizes []int
		var all []alerts.Alert
		for _, part := range deliverydb.Parts(raised, routes) {
			sizes, all = append(sizes, len(part)), append(all, part...)
		}
		if got := fmt.Sprint(sizes); got != c.want || cmp.Diff(raised, all) != "" {
			t.Errorf("%v in parts of %s, want %s", c.routes, got, c.want)
		}
	}
}

// Routing does not wait for a transaction that writes or fans out alerts.
func TestRoutingDoesNotWaitForWriters(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		d.WebHook(filtered("class:E"))
		d.WebHook(filtered("class:Other"))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		var h *deliverydb.Routings
		errStop := errors.New("stop")
		err := s.Deliveries.TryInOwnTx(ctx, func(t deliverydb.Tx) error {
			if err := t.FanOutAlone(ctx); err != nil {
				return err
			}
			h = d.found(ctx)
			return errStop
		})
		if routes := h.Routes(); !errors.Is(err, errStop) || len(routes) != 2 || len(h.Unsearched()) > 0 {
			t.Errorf("%v, routes %+v, not searched %+v", err, routes, h.Unsearched())
		}
	})
}

// Changes between routing and writing cause no error and no second delivery. A receiver that was deleted gets nothing. One that was
// turned off gets only direct alerts.
func TestWhatChangesBeforeDeliveriesAreWritten(t *testing.T) {
	t.Parallel()
	type story struct {
		name    string
		between func(*desk, map[string]int64)
		want    []string
	}
	for _, c := range []story{
		{"nothing", func(*desk, map[string]int64) {}, []string{"a down", "a up", "b down", "b up", "off issue_close", "user down", "user up"}},
		{"an integration is deleted", func(d *desk, ids map[string]int64) {
			if err := d.Deliveries.DeleteIntegration(d.T.Context(), d.ProjectID, ids["a"]); err != nil {
				d.T.Fatal(err)
			}
		}, []string{"b down", "b up", "off issue_close", "user down", "user up"}},
		{"an integration with a direct alert is deleted", func(d *desk, ids map[string]int64) {
			d.Run(`DELETE FROM integrations WHERE id = $1`, ids["off"])
		}, []string{"a down", "a up", "b down", "b up", "user down", "user up"}},
		{
			"all are turned off", func(d *desk, _ map[string]int64) { d.Run(`UPDATE integrations SET active = false`) },
			[]string{"off issue_close", "user down", "user up"},
		},
		{"one wants something else", func(d *desk, ids map[string]int64) {
			d.Run(`UPDATE integrations SET events = '["down"]', filters = '[{"event":"all","query":"class:X"}]' WHERE id = $1`, ids["a"])
		}, []string{"a down", "a up", "b down", "b up", "off issue_close", "user down", "user up"}},
		{
			"the user is deleted", func(d *desk, _ map[string]int64) { d.Run(`DELETE FROM users WHERE id = $1`, d.UserID) },
			[]string{"a down", "a up", "b down", "b up", "off issue_close"},
		},
		{
			"an alert is deleted", func(d *desk, _ map[string]int64) { d.Run(`DELETE FROM alerts WHERE event = 'down'`) },
			[]string{"a up", "b up", "off issue_close", "user up"},
		},
		{"the project is deleted", func(d *desk, _ map[string]int64) { d.Run(`DELETE FROM projects WHERE id = $1`, d.ProjectID) }, nil},
		{"another node spreads them, and later ones", func(d *desk, _ map[string]int64) {
			d.Happen(storetest.Noon, storetest.About("site a", alerts.AlertDown)...)
			d.fanOutWithMail()
		}, []string{"a down", "a up", "b down", "b up", "off issue_close", "user down", "user up", "a down", "b down", "user down"}},
		{"another node spreads some", func(d *desk, _ map[string]int64) {
			if _, err := d.Deliveries.FanOutAlerts(d.T.Context(), storetest.Noon, 1, true); err != nil {
				d.T.Fatal(err)
			}
		}, []string{"a down", "b down", "user down", "a up", "b up", "off issue_close", "user up"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			storetest.Engines(t, func(t *testing.T, s *store.Store) {
				d := newDesk(t, s)
				ids := map[string]int64{"a": d.WebHook().ID, "b": d.WebHook().ID, "off": d.WebHook(func(i *alerts.Integration) { i.Active = false }).ID}
				d.Happen(storetest.Noon, append(storetest.About("site a", alerts.AlertDown, alerts.AlertUp),
					alerts.Alert{Event: alerts.AlertIssueClose, Subject: "fault 1", IntegrationID: ids["off"]})...)
				h := d.found(t.Context())
				c.between(d, ids)
				if err := d.written(h); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(byReceiver(c.want), byReceiver(d.receivedEvents(ids))); diff != "" {
					t.Errorf("deliveries (-want +got):\n%s", diff)
				}
				if left := d.Numbers(`SELECT count(*) FROM alerts WHERE NOT spread`, 1)[0]; left > 0 {
					t.Errorf("%d alerts are left", left)
				}
			})
		})
	}
}

func (d *desk) fanOutWithMail() {
	d.T.Helper()
	if _, err := d.Deliveries.FanOutAlerts(d.T.Context(), storetest.Noon, 100, true); err != nil {
		d.T.Fatal(err)
	}
}

// receivedEvents lists all deliveries, the oldest first, as "<receiver> <event>".
func (d *desk) receivedEvents(ids map[string]int64) (lines []string) {
	d.T.Helper()
	names := map[int64]string{0: "user"}
	for name, id := range ids {
		names[id] = name
	}
	found, err := d.Deliveries.Deliveries(d.T.Context(), d.Read, `SELECT `+deliverydb.DeliveryColumns+` FROM deliveries d ORDER BY d.id`)
	if err != nil {
		d.T.Fatal(err)
	}
	for _, f := range found {
		lines = append(lines, fmt.Sprint(names[f.IntegrationID], " ", f.Event))
	}
	return lines
}

// byReceiver groups lines by receiver. The order in a group counts.
func byReceiver(lines []string) map[string][]string {
	of := map[string][]string{}
	for _, line := range lines {
		who, what, _ := strings.Cut(line, " ")
		of[who] = append(of[who], what)
	}
	return of
}

// An integration that is being deleted while alerts are spread fails none of the others, not even for one try.
func TestDeletionWhileAlertsAreFanOut(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.NewCluster(t).Node(t))
	gone, stays := d.WebHook(), d.WebHook()
	d.Happen(storetest.Noon, storetest.About("site a", alerts.AlertDown)...)
	h := d.found(t.Context())
	d.RowHeld(`DELETE FROM integrations WHERE id = $1`, gone.ID, func() error { return d.written(h) })
	if diff := cmp.Diff([]string{fmt.Sprint(stays.ID, " down due"), "0 down due"}, d.outbox()); diff != "" {
		t.Errorf("deliveries (-want +got):\n%s", diff)
	}
}

// A project that goes while alerts are spread takes its own along and no others.
func TestProjectsThatGoWhileAlertsAreFanOut(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.NewCluster(t).Node(t))
	other := d.Project("Other")
	gone := d.WebHook(func(i *alerts.Integration) { i.ProjectID = other.ID })
	stays := d.WebHook()
	d.Happen(storetest.Noon, alerts.Alert{ProjectID: other.ID, Event: alerts.AlertDown, Subject: "site b"}, alerts.Alert{Event: alerts.AlertDown, Subject: "site a"})
	h := d.found(t.Context())
	d.RowHeld(`DELETE FROM projects WHERE id = $1`, other.ID, func() error { return d.written(h) })
	if diff := cmp.Diff([]string{fmt.Sprint(stays.ID, " down due"), "0 down due"}, d.outbox()); diff != "" || gone.ID == stays.ID {
		t.Errorf("deliveries (-want +got):\n%s", diff)
	}
}
