package statusadmin_test

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/api"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/status"
	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
	"sett/internal/store/accountdb"
)

// scene is a server with a site, a check-in and a status page, and a browser of an owner of the account.
type scene struct {
	*visitor.Browser
	s          *setttest.Server
	site, job  string
	page, base string // id of the status page, and the path of the pages about it
	list       string
}

const password = "seven lonely walruses"

// newScene makes one; the page shows the site.
func newScene(t *testing.T) *scene {
	t.Helper()
	s := setttest.Start(t, "sqlite")
	v := &scene{s: s, list: "/accounts/" + s.Setup.AccountID + "/status_pages"}
	var site struct{ ID string }
	var job struct{ ID string }
	var page api.StatusPage
	s.Post(fmt.Sprintf("/v2/projects/%d/sites", s.Setup.ProjectID), `{"site":{"url":"https://shop.example.org/","name":"Shop front"}}`).Want(201).Into(&site)
	s.Post(fmt.Sprintf("/v2/projects/%d/check_ins", s.Setup.ProjectID), `{"check_in":{"slug":"night","schedule_type":"simple","report_period":"1 hour"}}`).Want(201).Into(&job)
	s.Post("/v2"+v.list, fmt.Sprintf(`{"status_page":{"name":"Acme","sites":[{"site_id":%q}]}}`, site.ID)).Want(201).Into(&page)
	v.site, v.job, v.page, v.base = site.ID, job.ID, page.ID, v.list+"/"+page.ID
	v.Browser = v.as(t, "olga@example.test", accounts.Owner)
	s.Clock.Push(time.Minute) // past the entries of all that
	return v
}

// as returns the browser of a user with a role in the account.
func (v *scene) as(t *testing.T, email string, role accounts.Role) *visitor.Browser {
	t.Helper()
	_, err := v.s.App.Store().Accounts.CreateUser(t.Context(), v.s.Clock.Now(), accountdb.NewUser{
		AccountID: v.s.Setup.AccountID, Email: email, Name: "Ann", Role: role, Password: setttest.PasswordCost.Hash(password),
	})
	if err != nil {
		t.Fatal(err)
	}
	return visitor.New(t, v.s).SignIn(email, password)
}

// createIncident creates an incident and returns the path of its page.
func (v *scene) createIncident(t *testing.T) string {
	t.Helper()
	made, err := v.s.App.Store().Status.CreateIncident(t.Context(), v.s.Clock.Now(), v.s.Setup.AccountID, v.page, status.IncidentChange{
		Name: sett.Some("Slow checkout"), Message: sett.Some("We are looking."), SiteIDs: sett.Some([]string{v.site}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(v.base, "/incidents/", made.ID)
}

// stored returns the status page as it is now.
func (v *scene) stored() status.StatusPage {
	v.T.Helper()
	page, err := v.s.App.Store().Status.StatusPageByID(v.T.Context(), v.s.Setup.AccountID, v.page)
	if err != nil {
		v.T.Fatal(err)
	}
	return page
}

// wantEntry expects one entry of the audit log since the clock was last moved, and moves it.
func (v *scene) wantEntry(action string) {
	v.T.Helper()
	var list struct{ Results []struct{ Action string } }
	v.s.Get(fmt.Sprintf("/v2/accounts/%s/audit_log?created_after=%d", v.s.Setup.AccountID, v.s.Clock.Now().Unix())).Into(&list)
	if len(list.Results) != 1 || list.Results[0].Action != action {
		v.T.Errorf("%s: entries %+v", action, list.Results)
	}
	v.s.Clock.Push(time.Minute)
}
