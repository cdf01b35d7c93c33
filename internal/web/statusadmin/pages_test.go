package statusadmin_test

import (
	"net/http"
	"strings"
	"testing"

	"sett/internal/sett/accounts"
	"sett/internal/web"
	"sett/internal/web/statusadmin"
)

func TestEveryPageAndWhoSeesIt(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	incident := v.createIncident(t)
	if err := v.s.App.Store().Status.SubscribeEmail(t.Context(), v.s.Clock.Now(), v.page, "reader@example.org"); err != nil {
		t.Fatal(err)
	}
	member := v.as(t, "member@example.test", accounts.Member)
	for path, want := range map[string]struct {
		member int
		text   string
	}{
		v.list:                           {200, "Acme"},
		v.list + "/new":                  {403, "Shop front"},
		v.base:                           {200, "Slow checkout"},
		v.base + "/edit":                 {403, "Shop front"},
		v.base + "/incidents":            {200, "Slow checkout"},
		v.base + "/incidents?state=past": {200, "No incident"},
		v.base + "/incidents/new":        {403, "Report an incident"},
		v.base + "/incidents/new?kind=maintenance": {403, "Schedule maintenance"},
		incident:                {200, "We are looking."},
		incident + "/edit":      {403, "Slow checkout"},
		v.base + "/subscribers": {403, "reader@example.org"},
	} {
		v.Get(path).Want(http.StatusOK, want.text).CheckPage()
		got := member.Get(path).Want(want.member).CheckPage()
		for _, hidden := range []string{"/new", "/edit", "Delete", "Post update", v.job} {
			if strings.Contains(got.Body, hidden) && !strings.Contains(path, hidden) {
				t.Errorf("%s shows %q to a member", path, hidden)
			}
		}
	}
	if got := v.Do("GET", v.base+"/edit", nil, "Accept-Encoding", "gzip"); got.Header.Get("Content-Encoding") != "" {
		t.Error("a page with secrets is compressed")
	}
	v.Get(v.list + "/nope").Want(404).CheckPage()
	v.Get(v.base + "/incidents/99").Want(404)
}

func TestFormsAreForThoseWhoManageStatusPages(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	member := v.as(t, "member@example.test", accounts.Member)
	path := strings.NewReplacer("{account_id}", v.s.Setup.AccountID, "{status_page_id}", v.page, "{incident_id}", "1", "{update_id}", "1", "{subscriber_id}", "1")
	for _, route := range statusadmin.Area(new(web.Pages)).Routes {
		if route.Method == http.MethodPost {
			member.Post(path.Replace(route.Path), "name", "x").Want(http.StatusForbidden)
		}
	}
}

func TestTheFirstStatusPage(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	v.Post(v.base + "/delete").Leads(v.list + "?done=page_deleted")
	v.wantEntry("removeStatusPage")
	v.Get(v.list).Want(200, "No status pages yet", v.list+"/new").CheckPage()
	v.as(t, "member@example.test", accounts.Member).Get(v.list).Want(200, "No status pages yet").Lacks(v.list + "/new")
	made := v.Post(v.list, "name", "Shop & co", "component", "check_in:"+v.job, "component", "site:"+v.site)
	v.wantEntry("makeStatusPage")
	to := made.Header.Get("Location")
	if made.Status != 303 || !strings.HasSuffix(to, "/edit?done=page_made") {
		t.Fatalf("%d to %s", made.Status, to)
	}
	v.Get(to).Want(200, "Shop &amp; co", "Shop front", "night", "Status page created.").CheckPage()
	v.Post(v.list, "name", "", "slug", "A b", "component", "site:"+v.site).CheckPage().
		Want(422, "Name can&#39;t be blank.", "Slug must be of lower-case letters", `value="site:`+v.site+`" checked`)
	v.Post(v.list, "name", "x", "component", "site:nonsense").Want(422, "must be the id of a site")
}
