package app_test

import (
	"encoding/csv"
	"encoding/json"
	"html"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
	"sett/internal/store/accountdb"
	"sett/internal/web"
	"sett/internal/web/events"
	"sett/internal/web/fault"
	"sett/internal/web/people"
	"sett/internal/web/project"
	"sett/internal/web/settings"
	"sett/internal/web/statusadmin"
	"sett/internal/web/uptime"
)

// listAreas are the areas whose pages list things of an account.
func listAreas() (routes []serve.Route) {
	for _, area := range []func(*web.Pages) web.Area{fault.Area, events.Area, people.Area, project.Area, settings.Area, statusadmin.Area, uptime.Area} {
		routes = append(routes, area(new(web.Pages)).Routes...)
	}
	return routes
}

// linked are the addresses of exports on a page.
var linked = regexp.MustCompile(`<a href="([^"]+)" download>CSV</a>\s*<a href="([^"]+)" download>JSON</a>`)

// Every list page leads to the list as CSV and as JSON, with its filter, and every export is reached from a page.
func TestEveryListCanBeExported(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	all := furnish(t, s, s.Client, s.Setup.AccountID, s.Setup.UserID, s.Setup.ProjectID, s.Setup.APIKey)
	s.Post("/v1/check_in/"+all.ids["check_in_id"], nil).Want(http.StatusOK)
	s.Do("POST", "/v1/events", `{"event_type":"job"}`, "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
	const password = "seven lonely walruses"
	if _, err := s.App.Store().Accounts.CreateUser(t.Context(), s.Clock.Now(), accountdb.NewUser{
		AccountID: s.Setup.AccountID, Email: "olga@example.test", Name: "Olga", Role: accounts.Owner, Password: setttest.PasswordCost.Hash(password),
	}); err != nil {
		t.Fatal(err)
	}
	b := visitor.New(t, s).SignIn("olga@example.test", password)
	b.Post("/accounts/"+all.ids["account_id"]+"/settings", "name", "Acme") // an entry of the audit log
	reached := map[string]bool{}
	routes := listAreas()
	for _, route := range routes {
		if route.Method != http.MethodGet || route.Media != "text/html" || strings.HasSuffix(route.Path, "/live") || strings.Contains(route.Path, "{token}") || strings.Contains(route.Path, "{revision}") {
			continue
		}
		path := strings.Replace(route.Path, "{report}", "notices_by_class", 1)
		for _, name := range named(route.Path) {
			path = strings.Replace(path, "{"+name+"}", all.id(t, name), 1)
		}
		filter := "q=&kind=&user=u4711&find=&revision=aaa1"
		page := b.Get(path + "?" + filter + "&done=saved")
		if page.Status != http.StatusOK {
			continue
		}
		for _, m := range linked.FindAllStringSubmatch(page.Body, -1) {
			for _, address := range m[1:] {
				address = html.UnescapeString(address)
				if strings.Contains(address, "done=") || route.Name == "affectedUserPage" && !strings.Contains(address, "user=u4711") {
					t.Errorf("%s leads to %s", path, address)
				}
				reached[wantExport(t, b, routes, address)] = true
			}
		}
	}
	for _, route := range routes {
		if export := route.Media == "text/csv" || route.Media == "application/json" && strings.HasSuffix(route.Path, ".json"); export && !reached[route.Path] {
			t.Errorf("no page leads to %s", route.Path)
		}
	}
	if len(reached) < 52 {
		t.Errorf("only %d exports were reached", len(reached))
	}
}

// without reports whether furnish makes nothing for a list: no site was down.
func without(path string) bool { return strings.Contains(path, "/outages.") }

// wantExport reads an export and returns the path of its route.
func wantExport(t *testing.T, b *visitor.Browser, routes []serve.Route, address string) string {
	t.Helper()
	got := b.Get(address)
	at, _, _ := strings.Cut(address, "?")
	switch kind := got.Header.Get("Content-Type"); {
	case got.Status != http.StatusOK:
		t.Errorf("%s: status %d", address, got.Status)
	case strings.HasSuffix(at, ".csv") && kind == "text/csv; charset=utf-8":
		rows, err := csv.NewReader(strings.NewReader(got.Body)).ReadAll()
		if err != nil || len(rows) < 2 && !without(at) {
			t.Errorf("%s: %d rows, %v\n%s", address, len(rows), err, got.Body)
		}
	case strings.HasSuffix(at, ".json") && kind == "application/json":
		var list struct{ Results []map[string]any }
		if err := json.Unmarshal([]byte(got.Body), &list); err != nil || len(list.Results) == 0 && !without(at) {
			t.Errorf("%s: %d results, %v\n%s", address, len(list.Results), err, got.Body)
		}
	default:
		t.Errorf("%s is %s", address, kind)
	}
	for _, route := range routes {
		pattern := "^" + regexp.MustCompile(`\\\{[a-z_]+\\\}`).ReplaceAllString(regexp.QuoteMeta(route.Path), "[^/]+") + "$"
		if !strings.HasSuffix(route.Path, "}") && regexp.MustCompile(pattern).MatchString(at) {
			return route.Path
		}
	}
	t.Errorf("%s is no route", address)
	return ""
}

// A page that lists things has a pager, which leads to the exports, or leads to them itself.
func TestListTemplatesLeadToExports(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(root + "/internal/web/*/page/*.html")
	if err != nil || len(pages) < 30 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	// These show something else in an element that scripts replace.
	others := []string{
		"settings_delivery.html", // one message
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		isList := strings.Contains(string(text), `id="list"`) || strings.Contains(string(text), `template "pager"`)
		if leads := strings.Contains(string(text), `template "pager"`) || strings.Contains(string(text), `template "export"`); isList && !leads && !slices.Contains(others, filepath.Base(page)) {
			t.Errorf("%s lists something and does not lead to an export", page)
		}
	}
}
