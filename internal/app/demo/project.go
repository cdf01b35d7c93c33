package demo

import (
	"context"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/insight"
)

// project is one of the company's programs.
type project struct {
	id       int64
	key      string
	name     string
	team     int64 // that its assigned errors are assigned to
	plan     projectPlan
	faults   []*fault
	deploys  []*deploy
	busy     busyDay
	events   []insight.Event // that are to be recorded
	language language
}

// projectPlan says what a project is like.
type projectPlan struct {
	name, language string
	notices        float64 // its share of all
	url            string  // where its requests go
	weekend        float64 // how busy Saturdays and Sundays are, beside other days
	byDay          float64 // how much busier days are than nights
	resolves       bool    // deploys resolve all faults
	components     []string
	actions        []string
	mistakes       []mistake
	of             func() language
}

func projectPlans() []projectPlan {
	return []projectPlan{
		{
			name: "checkout-api", language: "ruby", notices: 0.34, url: "https://checkout.acme.test", weekend: 0.8, byDay: 0.75,
			components: []string{"OrdersController", "CartsController", "PaymentsJob", "RatesImporter", "CheckoutSummary", "LedgerClient", "GiftCardsController", "RefundsJob"},
			actions:    []string{"create", "show", "update", "render", "perform", "import", "post"},
			mistakes:   checkoutMistakes(), of: ruby,
		},
		{
			name: "storefront", language: "js", notices: 0.30, url: "https://www.acme.test", weekend: 1.2, byDay: 0.85, resolves: true,
			components: []string{"ProductPage", "CartDrawer", "SearchBox", "CheckoutForm", "AddressBook", "Recommendations", "ImageGallery"},
			actions:    []string{"render", "onClick", "hydrate", "load", "submit", "useEffect"},
			mistakes:   storefrontMistakes(), of: javaScript,
		},
		{
			name: "inventory", language: "golang", notices: 0.14, url: "https://inventory.internal.acme.test", weekend: 0.5, byDay: 0.4,
			components: []string{"inventory.Service", "stock.Sync", "warehouse.Gateway", "reserve.Worker", "catalog.Reader"},
			actions:    []string{"Reserve", "Release", "Sync", "List", "Handle"},
			mistakes:   inventoryMistakes(), of: golang,
		},
		{
			name: "ledger", language: "python", notices: 0.10, url: "https://ledger.internal.acme.test", weekend: 0.3, byDay: 0.5,
			components: []string{"ledger.tasks.settle", "ledger.api.entries", "ledger.export", "ledger.fx", "ledger.reconcile"},
			actions:    []string{"run", "get", "post", "export_month", "match"},
			mistakes:   ledgerMistakes(), of: python,
		},
		{
			name: "mobile-app", language: "other", notices: 0.12, url: "acme://app", weekend: 1.3, byDay: 0.8,
			components: []string{"CheckoutActivity", "PushService", "ProductViewModel", "SyncWorker", "LoginFragment"},
			actions:    []string{"onCreate", "onResume", "onMessage", "load", "sync"},
			mistakes:   mobileMistakes(), of: kotlin,
		},
	}
}

// makeProjects makes the projects with their environments.
func (w *world) makeProjects(ctx context.Context) error {
	for i, plan := range projectPlans() {
		p := &project{name: plan.name, plan: plan, language: plan.of()}
		c := change[accounts.ProjectChange](`{"name":%q,"language":%q,"resolve_errors_on_deploy":%t,
			"source_url":"https://git.acme.test/acme/%s/blob/[sha]/[file]#L[line]","user_url":"https://admin.acme.test/users/[user_email]",
			"user_search_field":"context.user_email","disable_public_links":%t}`, plan.name, plan.language, plan.resolves, plan.name, plan.name == "ledger")
		made, err := w.store.Accounts.CreateProject(ctx, w.from.Add(-20*time.Hour), w.OwnerID, w.AccountID, c)
		if err != nil {
			return err
		}
		p.id, p.key = made.ID, made.Token
		for _, e := range []struct {
			name   string
			notify bool
		}{{"production", true}, {"staging", i != 4}, {"development", false}} {
			if _, err := w.store.Accounts.CreateEnvironment(ctx, w.from.Add(-19*time.Hour), p.id, change[accounts.EnvironmentChange](`{"name":%q,"notifications":%t}`, e.name, e.notify)); err != nil {
				return err
			}
		}
		w.projects, w.ProjectIDs = append(w.projects, p), append(w.ProjectIDs, p.id)
	}
	w.ProjectID, w.APIKey = w.projects[0].id, w.projects[0].key
	return nil
}

// formTeams makes the teams.
func (w *world) formTeams(ctx context.Context) error {
	for _, t := range []struct {
		name     string
		projects []int
		members  map[string]bool
	}{
		{"Checkout", []int{0, 3}, map[string]bool{"ines": true, "priya": false, "jonas": false}},
		{"Storefront", []int{1, 4}, map[string]bool{"tobias": true, "mei": false, "sam": false}},
		{"Platform", []int{2, 3}, map[string]bool{"ada": true, "tobias": true, "jonas": false}},
	} {
		var projects []int64
		members := map[int64]bool{}
		for _, i := range t.projects {
			projects = append(projects, w.projects[i].id)
		}
		for name, admin := range t.members {
			members[w.people[name].id] = admin
		}
		id, err := w.store.Accounts.CreateTeam(ctx, w.from.Add(-18*time.Hour), w.AccountID, t.name, projects, members)
		if err != nil {
			return err
		}
		for _, i := range t.projects {
			w.projects[i].team = id
		}
	}
	return nil
}
