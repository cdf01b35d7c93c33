package deliverydb_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/sett/owner"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// inFile makes a report of an error in a file of the application.
func inFile(file string) func(*faults.Report) {
	return func(r *faults.Report) {
		r.Body = fmt.Appendf(nil, `{"error":{"class":%q,"backtrace":[{"file":"/gems/rack.rb"},{"file":%q,"context":"app"}]},"request":{"component":"Carts"}}`, r.Class, file)
		r.BacktraceStart, r.BacktraceEnd = 0, 0
	}
}

func TestOwnersGetTheirErrors(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		mia, otto := d.User("Mia", accounts.Member), d.User("Otto", accounts.Member)
		d.Team(d.ProjectID, mia, otto)
		email := func(user int64) (text string) {
			d.Scan(`SELECT email FROM users WHERE id = `+fmt.Sprint(user), nil, &text)
			return text
		}
		var team string
		var teamID int64
		d.Scan(`SELECT id, name FROM teams ORDER BY id DESC LIMIT 1`, nil, &teamID, &team)
		rules := "/app/pay/ " + email(mia) + "\n/app/web/ @" + team + "\n/app/gone/ gone@example.test\n"
		set := func(c owner.OwnershipChange) {
			if err := s.Accounts.UpdateOwnership(t.Context(), d.ProjectID, c); err != nil {
				t.Fatal(err)
			}
		}
		set(owner.OwnershipChange{Rules: sett.Some(rules), OnlyOwners: sett.Some(true)})
		olga, toMia, toOtto := fmt.Sprint("user ", d.UserID, " "), fmt.Sprint("user ", mia, " "), fmt.Sprint("user ", otto, " ")
		check := func(what, class, file string, want ...string) {
			t.Helper()
			d.Record(storetest.Noon, accounts.Limits{}, d.Report(class, inFile(file)))
			got := append(d.fanOutToUsers(), d.fanOutToUsers()...) // the assignment is an alert of its own
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		assignee := func(class string) int64 {
			if a := d.Fault(class).Assignee; a != nil {
				return a.ID
			}
			return 0
		}

		check("an error of a user", "Pay", "/srv/shop/app/pay/card.rb", toMia+"occurred")
		check("an error of a team", "Web", "[PROJECT_ROOT]/app/web/cart.rb", toMia+"occurred", toOtto+"occurred")
		check("an error of someone who is gone", "Gone", "app/gone/x.rb", olga+"occurred", toMia+"occurred", toOtto+"occurred")
		check("an error that no rule names", "Other", "lib/x.rb", olga+"occurred", toMia+"occurred", toOtto+"occurred")
		if got := []int64{assignee("Pay"), assignee("Web"), assignee("Gone"), assignee("Other")}; !cmp.Equal(got, []int64{mia, -teamID, 0, 0}) {
			t.Errorf("assigned to %v, want the first to %d, the second to team %d", got, mia, teamID)
		}
		history, _, err := s.Faults.ListComments(t.Context(), d.ProjectID, d.FaultID("Pay"), sett.Page{Size: 10})
		if err != nil || len(history) != 1 || history[0].Body != "Assigned to Mia by the ownership rules." || history[0].Source != faults.FromSystem {
			t.Errorf("the history is %+v, %v", history, err)
		}

		d.wants(mia, alerts.PersonalAlertsChange{Events: sett.Some([]string{"assigned"})})
		check("for a user who only wants assignments", "Pay2", "app/pay/a.rb", toMia+"assigned")

		d.Update("Pay", faults.FaultChange{Resolved: sett.Some(true), AssigneeID: sett.Optional[int64]{Sent: true, Null: true}})
		d.fanOutToUsers()
		d.wants(mia, alerts.PersonalAlertsChange{Events: sett.Optional[[]string]{Sent: true, Null: true}})
		check("what was unassigned and occurs again", "Pay", "app/pay/card.rb", toMia+"occurred")
		if got := assignee("Pay"); got != 0 {
			t.Errorf("what was unassigned is assigned to %d again", got)
		}

		set(owner.OwnershipChange{OnlyOwners: sett.Some(false)})
		check("for everyone, but assigned", "Pay3", "app/pay/b.rb", olga+"occurred", toMia+"occurred", toOtto+"occurred")
		set(owner.OwnershipChange{Rules: sett.Some("component:Cart* " + email(otto))})
		check("by the component", "Cart", "lib/b.rb", olga+"occurred", toMia+"occurred", toOtto+"occurred")
		if got := []int64{assignee("Pay3"), assignee("Cart")}; !cmp.Equal(got, []int64{mia, otto}) {
			t.Errorf("assigned to %v", got)
		}
	})
}
