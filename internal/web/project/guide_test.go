package project_test

import (
	"testing"

	"sett/internal/app"
	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/setttest"
)

// The next steps begin with the first event, are checked off by what is there, and go when they are done or dismissed.
func TestNextSteps(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		owner, member, store, project := signedIn(t, s, accounts.Owner), signedIn(t, s, accounts.Member), s.App.Store(), s.Setup.ProjectID
		owner.Get(in(s, "")).Want(200, "No events yet").Lacks("Next steps")
		boom(s, "Boom", "no cart")
		owner.Get(in(s, "")).Want(200, "Next steps", "1 of 4 done", "No one is notified of new errors.", in(s, "/settings/channels/new")).Lacks("Upload source maps").CheckPage()
		member.Get(in(s, "")).Want(200).Lacks("Next steps")
		member.Post(in(s, "/guide/close")).Want(403)

		language := accounts.ProjectChange{Language: sett.Some("js")}
		if err := store.Accounts.UpdateProject(t.Context(), project, language); err != nil {
			t.Fatal(err)
		}
		owner.Get(in(s, "")).Want(200, "1 of 5 done", "Upload source maps")
		change := alerts.IntegrationChange{Type: sett.Some("Discord"), Options: sett.Some(map[string]any{"url": "http://127.0.0.1:9/x"}), Events: sett.Some([]string{"down"})}
		if _, err := store.Deliveries.CreateIntegration(t.Context(), s.Clock.Now(), project, channel.Rules(), change); err != nil {
			t.Fatal(err)
		}
		owner.Get(in(s, "")).Want(200, "1 of 5 done") // it is not notified of errors
		change.Events = sett.Some([]string{"occurred", "down"})
		if _, err := store.Deliveries.CreateIntegration(t.Context(), s.Clock.Now(), project, channel.Rules(), change); err != nil {
			t.Fatal(err)
		}
		deploy(t, s, "r1")
		owner.Get(in(s, "")).Want(200, "3 of 5 done").Lacks("No one is notified").CheckPage()
		if _, err := store.Uptime.CreateSite(t.Context(), s.Clock.Now(), project, checks.SiteChange{Name: sett.Some("Shop"), URL: sett.Some("https://shop.test")}); err != nil {
			t.Fatal(err)
		}
		owner.Get(in(s, "")).Want(200, "4 of 5 done")
		language.Language = sett.Some("ruby")
		if err := store.Accounts.UpdateProject(t.Context(), project, language); err != nil {
			t.Fatal(err)
		}
		owner.Get(in(s, "")).Want(200).Lacks("Next steps") // all are done
		language.Language = sett.Some("node")
		if err := store.Accounts.UpdateProject(t.Context(), project, language); err != nil {
			t.Fatal(err)
		}
		owner.Get(in(s, "")).Want(200, "Next steps")
		owner.Post(in(s, "/guide/close")).Leads(in(s, "?done=guide_closed"))
		owner.Get(in(s, "")).Want(200).Lacks("Next steps")
	})
}

// Where the server sends email, people are notified without a channel.
func TestNextStepsWithEmail(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", func(c *app.Config) { c.SMTPURL = "stdout:" })
	owner := signedIn(t, s, accounts.Owner)
	boom(s, "Boom", "no cart")
	owner.Get(in(s, "")).Want(200, "Next steps").Lacks("No one is notified of new errors.")
}
