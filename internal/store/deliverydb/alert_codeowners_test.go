package deliverydb_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/owner"
	"sett/internal/sett/repo"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestCodeownersGetTheErrorsThatNoRuleNames(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		mia, otto := d.User("Mia", accounts.Member), d.User("Otto", accounts.Member)
		team := d.Team(d.ProjectID, mia, otto)
		at, err := s.Repos.Create(t.Context(), storetest.Noon, d.ProjectID, repo.RepositoryChange{URL: sett.Some("https://github.com/acme/shop"), Path: sett.Some("services/shop")})
		if err == nil {
			err = s.Repos.NoteOwners(t.Context(), at.ID, "!broken @x\n/services/shop/app/ Mia@example.test\n/services/shop/web/ @acme/crew\n/services/shop/new/ @ada\n")
		}
		if err != nil {
			t.Fatal(err)
		}
		all := []string{fmt.Sprint("user ", d.UserID, " occurred"), fmt.Sprint("user ", mia, " occurred"), fmt.Sprint("user ", otto, " occurred")}
		check := func(class, file string, assignee int64, want ...string) {
			t.Helper()
			d.Record(storetest.Noon, accounts.Limits{}, d.Report(class, inFile(file)))
			if diff := cmp.Diff(want, append(d.fanOutToUsers(), d.fanOutToUsers()...)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", class, diff)
			}
			var got int64
			if a := d.Fault(class).Assignee; a != nil {
				got = a.ID
			}
			if got != assignee {
				t.Errorf("%s is assigned to %d, want %d", class, got, assignee)
			}
		}
		check("Early", "app/a.rb", mia, all...)
		var body string
		d.Scan(`SELECT body FROM comments WHERE event = 'assigned'`, nil, &body)
		if body != "Assigned to Mia by CODEOWNERS of acme/shop." {
			t.Errorf("the history says %q", body)
		}

		change := owner.OwnershipChange{Rules: sett.Some("app/own/ Otto@example.test"), OnlyOwners: sett.Some(true)}
		if err := s.Accounts.UpdateOwnership(t.Context(), d.ProjectID, change); err != nil {
			t.Fatal(err)
		}
		check("Own", "app/own/a.rb", otto, all[2])
		check("File", "[PROJECT_ROOT]/app/a.rb", mia, all[1])
		check("Team", "web/a.rb", -team, all[1:]...)
		check("Stranger", "new/a.rb", 0, all...)
		check("Elsewhere", "lib/a.rb", 0, all...)

		if _, err := s.Repos.Update(t.Context(), storetest.Noon, d.ProjectID, at.ID, repo.RepositoryChange{URL: sett.Some("https://github.com/acme/other")}); err != nil {
			t.Fatal(err)
		}
		check("Moved", "app/a.rb", 0, all...)
	})
}
