package statuspage

import (
	"fmt"
	"net/http"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/sett/status"
)

func TestSubscribersChooseComponentsWhereTheyConfirm(t *testing.T) {
	t.Parallel()
	scenes(t, func(t *testing.T, s *scene) {
		id, slug := s.add("Acme")
		project, err := s.store.Accounts.CreateProject(t.Context(), s.now, s.user, s.account, accounts.ProjectChange{Name: sett.Some("Shop")})
		if err != nil {
			t.Fatal(err)
		}
		var shown []status.StatusSiteChange
		for _, name := range []string{"Shop", "Blog"} {
			site, err := s.store.Uptime.CreateSite(t.Context(), s.now, project.ID, checks.SiteChange{Name: sett.Some(name), URL: sett.Some("https://shop.test/")})
			if err != nil {
				t.Fatal(err)
			}
			shown = append(shown, status.StatusSiteChange{SiteID: sett.Some(site.ID.String())})
		}
		s.change(id, status.StatusPageChange{Sites: sett.Some(shown)})
		s.round()
		page, err := s.Status.StatusPageByID(t.Context(), s.account, id)
		if err != nil {
			t.Fatal(err)
		}
		box := func(n int, checked string) string {
			return fmt.Sprintf(`name="component" value="%d"%s>`, page.Components[n].ID, checked)
		}
		s.post("/status/"+slug+"/subscribe", "email=ann@example.test", http.StatusOK)
		link := "/status/" + slug + "/subscribers/" + s.asked()
		s.get(link, http.StatusOK, box(0, " checked"), box(1, " checked"))
		s.post(link, fmt.Sprintf("choose=1&component=%d", page.Components[1].ID), http.StatusOK, "You are subscribed", box(0, ""), box(1, " checked"), ">Save<")
		s.get(link, http.StatusOK, box(0, ""), box(1, " checked"))
		s.post(link, "", http.StatusOK, box(0, ""), box(1, " checked")) // a form of an old page changes nothing
		s.post(link, fmt.Sprintf("choose=1&component=%d&component=%d", page.Components[0].ID, page.Components[1].ID), http.StatusOK, box(0, " checked"), box(1, " checked"))
	})
}
