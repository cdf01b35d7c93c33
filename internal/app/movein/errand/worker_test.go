package errand_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/internal/app/movein/errand"
	"sett/internal/base/dial"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/move"
	"sett/internal/setttest/oldsentry"
	"sett/internal/store"
	"sett/internal/store/movedb"
	"sett/internal/store/storetest"
)

// bench is a store and a server that people move from, with three errors.
type bench struct {
	*storetest.Desk
	t    *testing.T
	old  *oldsentry.Server
	now  time.Time
	does func(r *http.Request) // at each request
}

func newBench(t *testing.T, s *store.Store) *bench {
	t.Helper()
	b := &bench{Desk: storetest.NewDesk(t, s), t: t, now: storetest.Noon, does: func(*http.Request) {}}
	p := &oldsentry.Project{Slug: "web", Platform: "go", Key: "a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4", Environments: []string{"production"}}
	for i := range 3 {
		p.Issues = append(p.Issues, &oldsentry.Issue{
			ID: fmt.Sprint(4000 + i), Short: fmt.Sprint("WEB-", i), Title: "An error", Type: "Error", Value: "said", Status: "unresolved",
			First: b.now.Add(-time.Hour), Last: b.now.Add(-time.Minute), Count: 10,
			Events: []oldsentry.Event{{ID: fmt.Sprintf("%032x", 0xabc000+i), Hash: "h", Sent: map[string]any{
				"platform": "go", "exception": map[string]any{"values": []any{map[string]any{"type": fmt.Sprint("Error", i), "value": "said"}}},
			}}},
		})
	}
	b.old = (&oldsentry.Server{Projects: []*oldsentry.Project{p}, Members: []*oldsentry.Member{{Email: "theirs@example.test", Name: "Theirs", Role: "owner"}}}).Start(t)
	return b
}

// worker returns one of several that share the store.
func (b *bench) worker(holder string) *errand.Worker {
	return &errand.Worker{
		Moves: b.Moves, Accounts: b.Accounts, Holder: holder, Now: func() time.Time { return b.now }, Look: time.Millisecond, Log: slog.New(slog.DiscardHandler),
		Do: func(r *http.Request) (*http.Response, error) {
			b.does(r)
			return http.DefaultClient.Do(r)
		},
	}
}

func (b *bench) settings() move.Settings {
	return move.Settings{From: move.FromSentry, URL: b.old.URL, Org: "acme", Events: 1}
}

// ask adds an import of a user, or of the owner.
func (b *bench) ask(dryRun bool, user ...int64) int64 {
	b.t.Helper()
	owner := movedb.Owner{AccountID: b.AccountID, UserID: b.UserID}
	if len(user) > 0 {
		owner.UserID = user[0]
	}
	id, err := b.Moves.AddImport(b.t.Context(), b.now, owner, b.settings(), oldsentry.Token, dryRun)
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

// round has a worker run what there is, and checks whether there was anything.
func (b *bench) round(w *errand.Worker, want bool) {
	b.t.Helper()
	if ran, err := w.Round(b.t.Context()); err != nil || ran != want {
		b.t.Fatalf("a round ran an import: %t, %v, want %t", ran, err, want)
	}
}

// wants checks how an import is; one that has ended has no token.
func (b *bench) wants(id int64, state move.ImportState, errors int64) move.Import {
	b.t.Helper()
	i, err := b.Moves.ImportByID(b.t.Context(), b.AccountID, id)
	if err != nil || i.State != state {
		b.t.Fatalf("the import is %s (%q), %v, want %s", i.State, i.Problem, err, state)
	}
	if !i.Open() {
		b.WantNumbers("tokens of what ended", `SELECT count(*) FROM imports WHERE id = $1 AND token <> ''`, []any{id}, 0)
	}
	b.WantNumbers("errors", `SELECT count(*) FROM faults f JOIN projects p ON p.id = f.project_id WHERE p.name = 'web'`, nil, errors)
	return i
}

func TestALookWritesNothingAndAnImportDoes(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		look := b.ask(true)
		var sealed string
		b.Scan(`SELECT token FROM imports`, nil, &sealed)
		if sealed == "" || strings.Contains(sealed, oldsentry.Token) {
			t.Errorf("the token is stored as %q", sealed)
		}
		b.round(b.worker("a"), true)
		if i := b.wants(look, move.ImportDone, 0); i.Report == nil || !i.Report.DryRun || len(i.Report.Came) == 0 {
			t.Errorf("the report is %+v", i.Report)
		}
		id := b.ask(false)
		b.round(b.worker("a"), true)
		b.wants(id, move.ImportDone, 3)
		b.round(b.worker("a"), false)
		b.WantNumbers("entries of the audit log by who asked", `SELECT count(*) FROM audit_log WHERE action = 'createProject' AND user_id = $1 AND user_agent = 'import'`, []any{b.UserID}, 1)
		b.WantNumbers("leases", `SELECT count(*) FROM leases WHERE name = $1`, []any{movedb.ImportLease(b.AccountID)}, 0)
	})
}

// What people stop ends within a request, and goes on later with another token.
func TestAnImportIsStoppedAndGoesOn(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		id := b.ask(false)
		b.does = func(r *http.Request) {
			if strings.Contains(r.URL.Path, "/events/") && r.Context().Err() == nil {
				if err := b.Moves.StopImport(r.Context(), b.now, b.AccountID, id); err != nil {
					t.Error(err)
				}
				<-r.Context().Done()
			}
		}
		b.round(b.worker("a"), true)
		if i := b.wants(id, move.ImportStopped, 3); i.Report == nil || len(i.Report.Came) == 0 {
			t.Errorf("the report is %+v", i.Report)
		}
		b.round(b.worker("a"), false)
		b.does = func(*http.Request) {}
		owner := movedb.Owner{AccountID: b.AccountID, UserID: b.UserID}
		if err := b.Moves.ContinueImport(t.Context(), owner, id, oldsentry.Token); err != nil {
			t.Fatal(err)
		}
		if err := b.Moves.ContinueImport(t.Context(), owner, id, oldsentry.Token); sett.CodeOf(err) != sett.Conflict {
			t.Errorf("it goes on twice: %v", err)
		}
		if _, err := b.Moves.AddImport(t.Context(), b.now, owner, b.settings(), "t", true); sett.CodeOf(err) != sett.Conflict {
			t.Errorf("two at once: %v", err)
		}
		b.round(b.worker("a"), true)
		b.wants(id, move.ImportDone, 3)
		b.WantNumbers("errors that are complete", `SELECT count(*) FROM imported WHERE kind = 'fault' AND complete`, nil, 3)
	})
}

// One server stops in the middle, another dies; each time the next one goes on, and nothing comes twice.
func TestAnotherServerTakesOver(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		id := b.ask(false)
		ctx, stop := context.WithCancel(t.Context())
		b.does = func(r *http.Request) {
			if strings.Contains(r.URL.Path, "/events/") {
				stop()
			}
		}
		if _, err := b.worker("a").Round(ctx); err == nil {
			t.Fatal("the server was not stopped")
		}
		b.wants(id, move.ImportRunning, 3)
		b.does = func(*http.Request) {}
		until := b.now.Add(30 * time.Second)
		if _, found, err := b.Moves.ClaimImport(t.Context(), "dead", b.now, until); !found || err != nil {
			t.Fatalf("it cannot be taken over at once: %v", err)
		}
		b.round(b.worker("b"), false)
		b.now = until.Add(time.Second)
		b.round(b.worker("b"), true)
		i := b.wants(id, move.ImportDone, 3)
		for _, c := range i.Report.Came {
			if c.Noun == "errors" && c.Present != 3 {
				t.Errorf("errors came twice: %+v", c)
			}
		}
	})
}

// A lease that another server has ends the work of one that slept.
func TestWhoLostTheLeaseEnds(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		id := b.ask(false)
		b.does = func(r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/projects/") {
				b.Run(`UPDATE leases SET holder = 'other' WHERE name = $1`, movedb.ImportLease(b.AccountID))
				<-r.Context().Done()
			}
		}
		b.round(b.worker("a"), false)
		b.wants(id, move.ImportRunning, 0)
		b.WantNumbers("leases of the other", `SELECT count(*) FROM leases WHERE holder = 'other'`, nil, 1)

		lost := b.does
		b.now = b.now.Add(time.Minute)
		b.does = func(r *http.Request) {
			if lost(r); r.Context().Err() != nil {
				b.now = b.now.Add(time.Minute) // the other one dies: its lease ends before this one looks
			}
		}
		b.round(b.worker("a"), false)
		b.wants(id, move.ImportRunning, 0)
		b.does = func(*http.Request) {}
		b.now = b.now.Add(time.Minute)
		b.round(b.worker("a"), true)
		b.wants(id, move.ImportDone, 3)
	})
}

// A token that cannot be read ends its import, and holds up no other.
func TestATokenThatIsDamaged(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		id := b.ask(true)
		b.Run(`UPDATE imports SET token = substr(token, 1, length(token) - 4) || 'AAAA'`)
		b.round(b.worker("a"), false)
		if i := b.wants(id, move.ImportFailed, 0); !strings.Contains(i.Problem, "Give it again") {
			t.Errorf("the problem is %q", i.Problem)
		}
		b.ask(true)
		b.round(b.worker("a"), true)
	})
}

func TestRefusedImportsSayWhy(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.OpenSQLite(t))
	inner, id := b.worker("a"), b.ask(true)
	inner.Do = dial.New(dial.Policy{}).Client(errand.RequestLasts).Do
	b.round(inner, true)
	if i := b.wants(id, move.ImportFailed, 0); !strings.Contains(i.Problem, "127.0.0.1, a loopback address, are not allowed") || strings.Contains(i.Problem, "--") {
		t.Errorf("the problem is %q", i.Problem)
	}
	if asked := b.old.Asked(); len(asked) > 0 {
		t.Errorf("it was asked: %v", asked)
	}
	id = b.ask(true, b.User("mia", accounts.Member))
	b.round(b.worker("a"), true)
	if i := b.wants(id, move.ImportFailed, 0); !strings.Contains(i.Problem, "may not import") {
		t.Errorf("the problem is %q", i.Problem)
	}
	eva := b.User("eva", accounts.Admin)
	id = b.ask(true, eva)
	b.does = func(r *http.Request) {
		b.Run(`UPDATE memberships SET role = 'Member' WHERE user_id = $1`, eva)
		<-r.Context().Done()
	}
	b.round(b.worker("a"), true)
	if i := b.wants(id, move.ImportFailed, 0); !strings.Contains(i.Problem, "may not import") {
		t.Errorf("the problem is %q", i.Problem)
	}
	id = b.ask(false)
	b.does = func(*http.Request) { panic("a bug") }
	b.round(b.worker("a"), true)
	if i := b.wants(id, move.ImportFailed, 0); !strings.Contains(i.Problem, "Something went wrong") {
		t.Errorf("the problem is %q", i.Problem)
	}
}

// Who is an admin makes no owner.
func TestAnAdminInvitesNoOwner(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.OpenSQLite(t))
	id := b.ask(false, b.User("adam", accounts.Admin))
	b.round(b.worker("a"), true)
	i := b.wants(id, move.ImportDone, 3)
	b.WantNumbers("invitations of admins", `SELECT count(*) FROM invitations WHERE email = 'theirs@example.test' AND role = 'Admin'`, nil, 1)
	if len(i.Report.Left) == 0 || i.Report.Sorted()[len(i.Report.Left)-1].Noun != "owners" {
		t.Errorf("the report leaves %+v", i.Report.Left)
	}
}

// The newest stay, and accounts do not see each other's.
func TestImportsAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		var id int64
		for range movedb.KeptImports + 3 {
			id = b.ask(true)
			if err := b.Moves.StopImport(t.Context(), b.now, b.AccountID, id); err != nil {
				t.Fatal(err)
			}
		}
		b.wants(id, move.ImportStopped, 0)
		all, err := b.Moves.ListImports(t.Context(), b.AccountID)
		if err != nil || len(all) != movedb.KeptImports || all[0].ID != id {
			t.Errorf("%d imports are kept, %v", len(all), err)
		}
		other, _ := b.Stranger()
		if _, err := b.Moves.ImportByID(t.Context(), other, id); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("another account sees it: %v", err)
		}
	})
}

// What one account imported from a server is not that of another one which imports from it too.
func TestAccountsImportApart(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.OpenSQLite(t))
	b.ask(false)
	b.round(b.worker("a"), true)
	account, user := b.Stranger()
	for range 2 {
		id, err := b.Moves.AddImport(t.Context(), b.now, movedb.Owner{AccountID: account, UserID: user}, b.settings(), oldsentry.Token, false)
		if err != nil {
			t.Fatal(err)
		}
		b.round(b.worker("a"), true)
		if i, err := b.Moves.ImportByID(t.Context(), account, id); err != nil || i.State != move.ImportDone {
			t.Fatalf("%+v, %v", i, err)
		}
		for _, of := range []string{b.AccountID, account} {
			b.WantNumbers("errors of "+of, `SELECT count(*) FROM faults f JOIN projects p ON p.id = f.project_id WHERE p.name = 'web' AND p.account_id = $1`, []any{of}, 3)
		}
	}
}
