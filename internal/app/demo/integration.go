package demo

import (
	"context"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
)

// integrationPlan is a channel or issue tracker of a project.
type integrationPlan struct {
	project   int
	kind      string
	options   string
	settings  string // the rest, as JSON
	every     int    // of how many messages one fails at first; 0: none does
	forever   bool   // those that fail are never taken
	isTracker bool
}

// nowhere is an address without a listener. A demo sends nothing, and even if its data were served by a normal server,
// nothing would leave this machine.
const nowhere = "http://127.0.0.1:9"

func integrationPlans() []integrationPlan {
	return []integrationPlan{
		{0, "Slack", `{"url":"` + nowhere + `/slack","channel_name":"#checkout-alerts","team_name":"Acme","label":"Checkout alerts"}`, `"events":["occurred","assigned","commented","deployed","up","down","slow","fast","cert_will_expire","check_in_missing","check_in_failed","check_in_reporting","volume_spike","rate_exceeded"],"rate":"hour","threshold":10,"notification_limit":20`, 12, false, false},
		{0, "Email", `{"addresses":"checkout@acme.test, oncall@acme.test","label":"On call"}`, `"events":["down","up","check_in_missing","check_in_failed"]`, 0, false, false},
		{0, "WebHook", `{"url":"` + nowhere + `/hook","label":"Warehouse of events"}`, `"events":["occurred","resolved","deployed"],"excluded_environments":["staging"],"filters":[{"event":"occurred","query":"tag:checkout"}]`, 3, true, false},
		{0, "Github", `{"repo":"acme/checkout","token":"ghp_demo","server":"` + nowhere + `/github","label":"Checkout issues"}`, `"events":[]`, 0, false, true},
		{1, "MSTeams", `{"url":"` + nowhere + `/teams","label":"Storefront"}`, `"events":["occurred","down","up","deployed"],"notification_limit":10`, 9, false, false},
		{2, "PagerDutyV2", `{"routing_key":"R0DEMO00000000000000000000000000","label":"Platform on call"}`, `"events":["down","up","check_in_missing","check_in_failed","check_in_reporting","rate_exceeded"],"rate":"min","threshold":20`, 0, false, false},
		{3, "Jira", `{"server":"` + nowhere + `/jira","email":"bot@acme.test","token":"demo","project_key":"LED","label":"Ledger board"}`, `"events":[]`, 0, false, true},
		{3, "Mattermost", `{"url":"` + nowhere + `/mattermost","label":"Finance"}`, `"active":false,"events":["occurred"]`, 0, false, false},
		{4, "Ntfy", `{"url":"` + nowhere + `","topic":"acme-mobile-demo","label":"Mobile"}`, `"events":["occurred","volume_spike"],"filters":[{"event":"occurred","query":"environment:production"}],"quiet_hours":{"from":"22:00","to":"07:00","time_zone":"Europe/Berlin"}`, 7, false, false},
	}
}

// makeIntegrations makes the integrations of projects.
func (w *world) makeIntegrations(ctx context.Context) error {
	now := w.from.Add(-8 * time.Hour)
	for _, plan := range integrationPlans() {
		p := w.projects[plan.project]
		c := change[alerts.IntegrationChange](`{%s}`, plan.settings)
		c.Type = change[sett.Optional[string]](`%q`, plan.kind)
		c.Options = change[sett.Optional[map[string]any]]("%s", plan.options)
		made, err := w.store.Deliveries.CreateIntegration(ctx, now, p.id, kinds(), c)
		if err != nil {
			return fmt.Errorf("%s: %w", plan.kind, err)
		}
		w.dispatcher.plans[made.ID] = plan
		if w.IntegrationID == 0 {
			w.IntegrationID = made.ID
		}
		if plan.isTracker && w.dispatcher.tracker == 0 {
			w.dispatcher.tracker = made.ID
		}
	}
	return nil
}

// kinds are those that integrations here have. What options a kind takes is known to package channel alone; a test holds
// those here against it.
func kinds() (all []alerts.IntegrationKind) {
	known := map[string]bool{}
	for _, plan := range integrationPlans() {
		if !known[plan.kind] {
			known[plan.kind] = true
			all = append(all, alerts.IntegrationKind{Type: plan.kind, Tracker: plan.isTracker, Options: func(_ *sett.Problems, _, sent map[string]any) map[string]any { return sent }})
		}
	}
	return all
}
