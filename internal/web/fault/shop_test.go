package fault_test

import (
	"fmt"
	"strings"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
	"sett/internal/store/accountdb"
	"sett/internal/store/searchdb"
)

const password = "correct horse battery"

// shop is a server with people who look at the faults of its project.
type shop struct {
	*setttest.Server
	t         *testing.T
	ann       int64            // who is in a team that sees the project
	member    *visitor.Browser // Ann's
	admin     *visitor.Browser
	outsider  *visitor.Browser // a member of the account who sees no project
	anonymous *visitor.Browser
}

func open(t *testing.T) *shop {
	t.Helper()
	return openOn(t, setttest.Start(t, "sqlite"))
}

// openOn is open on a server that runs.
func openOn(t *testing.T, s *setttest.Server) *shop {
	t.Helper()
	add := func(email, name string, role accounts.Role) (int64, *visitor.Browser) {
		id, err := s.App.Store().Accounts.CreateUser(t.Context(), s.Clock.Now(), accountdb.NewUser{
			AccountID: s.Setup.AccountID, Email: email, Name: name, Role: role, Password: setttest.PasswordCost.Hash(password),
		})
		if err != nil {
			t.Fatal(err)
		}
		return id, visitor.New(t, s).SignIn(email, password)
	}
	o := &shop{Server: s, t: t, anonymous: visitor.New(t, s)}
	o.ann, o.member = add("ann@example.test", "Ann Other", accounts.Member)
	_, o.admin = add("admin@example.test", "Ada Admin", accounts.Admin)
	_, o.outsider = add("out@example.test", "Otto Out", accounts.Member)
	_, err := s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Crew", []int64{s.Setup.ProjectID}, map[int64]bool{o.ann: false})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// report has a client report a notice, and returns the newest fault.
func (o *shop) report(body string) faults.Fault {
	o.t.Helper()
	o.Post("/v1/notices", body).Want(201)
	faults, _, err := o.App.Store().Search.ListFaults(o.t.Context(), o.Clock.Now(), o.Setup.ProjectID, searchdb.Filter{}, searchdb.Page{Page: sett.Page{Size: 1}})
	if err != nil || len(faults) == 0 {
		o.t.Fatalf("faults %v, error %v", faults, err)
	}
	return faults[0]
}

// list is the path of the list, fault that of a fault.
func (o *shop) list() string { return fmt.Sprintf("/projects/%d/faults", o.Setup.ProjectID) }

func (o *shop) path(f faults.Fault) string { return fmt.Sprintf("%s/%d", o.list(), f.ID) }

// reread returns a fault as it is now.
func (o *shop) reread(f faults.Fault) faults.Fault {
	o.t.Helper()
	found, err := o.App.Store().Faults.FaultByID(o.t.Context(), f.ProjectID, f.ID)
	if err != nil {
		o.t.Fatal(err)
	}
	return found
}

// rich is a notice with something everywhere.
const rich = `{"error":{"class":"Boom","message":"it broke for bob@example.test","tags":["checkout"],"backtrace":[
	{"number":"2","file":"[PROJECT_ROOT]/app/cart.rb","method":"total","context":"app","source":{"1":"def total","2":"  nil.total","3":"end"}},
	{"number":"9","file":"[GEM_ROOT]/rack.rb","method":"call","context":"all"}],
	"causes":[{"class":"Root","message":"for carl@example.test","backtrace":[{"number":"5","file":"[PROJECT_ROOT]/lib/a.rb","method":"x","context":"app"}]}]},
	"breadcrumbs":{"trail":[{"category":"query","message":"SELECT 1","timestamp":"2026-11-18T10:29:59Z","metadata":{"rows":3}}]},
	"request":{"url":"https://shop.test/cart?coupon=sesame","component":"CartsController","action":"show","params":{"id":"7","card":"[FILTERED]"},
	"session":{"cart":"in-session"},"context":{"user_email":"dora@example.test","tenant":"acme-eu","deep":{"a":{"b":[1,2]}}},
	"cgi_data":{"HTTP_COOKIE":"a=from-cookie","HTTP_HOST":"shop.test"}},
	"server":{"environment_name":"production","hostname":"web-3","revision":"4e1f9a2"},"notifier":{"name":"honeybadger-ruby","version":"6.1.0"}}`

// plain is a notice of a class.
func plain(class string) string {
	return `{"error":{"class":"` + class + `","message":"m"},"server":{"environment_name":"production"}}`
}

// lacks fails the test when a text is in a page, which is not shown.
func lacks(t *testing.T, body string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(body, text) {
			t.Errorf("it has %q", text)
		}
	}
}

// has reports whether the page of a fault contains a text.
func (o *shop) has(f faults.Fault, text string) bool {
	return strings.Contains(o.member.Get(o.path(f)).Body, text)
}
