package finder_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"sett/internal/sett/accounts"
	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
	"sett/internal/store/accountdb"
)

const password = "seven lonely walruses"

func signedIn(t *testing.T, s *setttest.Server, email string, role accounts.Role) *visitor.Browser {
	t.Helper()
	_, err := s.App.Store().Accounts.CreateUser(t.Context(), s.Clock.Now(), accountdb.NewUser{
		AccountID: s.Setup.AccountID, Email: email, Name: "Olga", Role: role, Password: setttest.PasswordCost.Hash(password),
	})
	if err != nil {
		t.Fatal(err)
	}
	return visitor.New(t, s).SignIn(email, password)
}

// The search page finds what its user may see, and pages by other words for them; every link that it shows leads somewhere.
func TestSearchPage(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	owner := signedIn(t, s, "olga@example.test", accounts.Owner)
	s.Do("POST", "/v1/notices", map[string]any{"error": map[string]any{"class": "Walrus<b>", "message": "too heavy"}}, "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
	s.Post(fmt.Sprintf("/v2/projects/%d/sites", s.Setup.ProjectID), `{"site":{"url":"https://walrus.example.org/","name":"Walrus house"}}`).Want(201)
	s.Post(fmt.Sprintf("/v2/projects/%d/check_ins", s.Setup.ProjectID), `{"check_in":{"slug":"walrus-feeding","schedule_type":"simple","report_period":"1 hour"}}`).Want(201)
	s.Post("/v2/accounts/"+s.Setup.AccountID+"/status_pages", `{"status_page":{"name":"Walrus status"}}`).Want(201)
	from := fmt.Sprintf("&from=%d", s.Setup.ProjectID)

	owner.Get("/search?q=walrus"+from).Want(200, "Walrus&lt;b&gt;", "Walrus house", "walrus-feeding", "Walrus status", "Search errors for “walrus”", `>Errors</h2>`, `>Sites</h2>`, `>Check-ins</h2>`).CheckPage().Lacks("<b>", "sealed:")
	owner.Get("/search?q=codeowners"+from).Want(200, "Access and ownership").CheckPage()
	owner.Get("/search?q=codeowners").Want(200, "No results for “codeowners”").CheckPage()
	owner.Get("/search?q=olga").Want(200, "olga@example.test")
	for _, entry := range []string{"Errors", "Uptime", "Check-ins"} { // the navigation has the counts of the project
		owner.Get("/search?q=x"+from).Want(200, entry+` <span class="n">1</span>`)
	}
	for _, hostile := range []string{"%3Cscript%3E", strings.Repeat("x", 5000), "%00", "%ff", "9223372036854775808", "%25", "'"} {
		owner.Get("/search?q=" + hostile + "&from=x").Want(200)
	}
	member := signedIn(t, s, "member@example.test", accounts.Member) // of no team
	member.Get("/search?q=walrus"+from).Want(200).Lacks("Walrus house", "Walrus&lt;", "Shop")
	visitor.New(t, s).Get("/search?q=walrus").Want(303)

	links := regexp.MustCompile(`class="ends" href="([^"]+)"`).FindAllStringSubmatch(owner.Get("/search?q="+from).Body+owner.Get("/search?q=walrus"+from).Body, -1)
	if len(links) < 40 {
		t.Errorf("only %d links", len(links))
	}
	for _, link := range links {
		if got := owner.Get(html.UnescapeString(link[1])); got.Status != 200 {
			t.Errorf("%s: status %d", link[1], got.Status)
		}
	}
}

// Every page that a menu or a tab names is found, so that a new page is not forgotten in the list.
func TestPagesOfMenusAreFound(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	owner := signedIn(t, s, "olga@example.test", accounts.Owner)
	project := fmt.Sprintf("/projects/%d", s.Setup.ProjectID)
	found := owner.Get(fmt.Sprintf("/search?q=&from=%d", s.Setup.ProjectID)).Want(200).Body
	_, found, _ = strings.Cut(found, `id="found"`)
	menu, link := regexp.MustCompile(`(?s)<nav .*?</nav>|<details class="menu me">.*?</details>`), regexp.MustCompile(`<a href="([^"#?]+)"( download)?`)
	seen := map[string]bool{}
	for _, path := range []string{project, project + "/faults", project + "/releases", project + "/settings/data", "/me/profile", "/accounts/" + s.Setup.AccountID + "/people"} {
		for _, nav := range menu.FindAllString(owner.Get(path).Want(200).Body, -1) {
			for _, to := range link.FindAllStringSubmatch(nav, -1) {
				if to[2] != "" {
					continue
				}
				if seen[to[1]] = true; to[1] != "/search" && !strings.Contains(found, `href="`+to[1]+`"`) {
					t.Errorf("%s of %s is not found", to[1], path)
				}
			}
		}
	}
	if len(seen) < 25 {
		t.Errorf("only %d links in menus", len(seen))
	}
}
