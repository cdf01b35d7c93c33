package deliverydb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/deliverydb"
	"sett/internal/store/storetest"
)

// wants changes which notifications a user gets from the project.
func (d *desk) wants(user int64, change alerts.PersonalAlertsChange) {
	d.T.Helper()
	if err := d.Deliveries.UpdatePersonalAlerts(d.T.Context(), storetest.Noon, user, d.ProjectID, change); err != nil {
		d.T.Fatal(err)
	}
}

// fanOutToUsers fans out all alerts and returns the new deliveries to users as "<receiver> <event>".
func (d *desk) fanOutToUsers() (lines []string) {
	d.T.Helper()
	if _, err := d.Deliveries.FanOutAlerts(d.T.Context(), storetest.Noon, 100, true); err != nil {
		d.T.Fatal(err)
	}
	found, err := d.Deliveries.Deliveries(d.T.Context(), d.Read, `SELECT `+deliverydb.DeliveryColumns+` FROM deliveries d WHERE d.user_id IS NOT NULL ORDER BY d.user_id, d.id`)
	if err != nil {
		d.T.Fatal(err)
	}
	for _, f := range found {
		lines = append(lines, fmt.Sprint(f.Receiver, " ", f.Event))
	}
	d.Run(`DELETE FROM deliveries`)
	return lines
}

func TestUsersGetTheNotificationsTheyWant(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		mia, otto, outside := d.User("Mia", accounts.Member), d.User("Otto", accounts.Billing), d.User("Una", accounts.Member)
		d.Team(d.ProjectID, mia)
		d.Team(d.ProjectID, otto)
		d.wants(otto, alerts.PersonalAlertsChange{Events: sett.Some([]string{"down", "commented"})})
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		olga, miaNotified, ottoNotified := fmt.Sprint("user ", d.UserID, " "), fmt.Sprint("user ", mia, " "), fmt.Sprint("user ", otto, " ")
		check := func(name string, want ...string) {
			t.Helper()
			if diff := cmp.Diff(want, d.fanOutToUsers()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		check("a new fault", olga+"occurred", miaNotified+"occurred")
		d.Happen(storetest.Noon, storetest.About("site a", alerts.AlertDown, alerts.AlertDeployed)...)
		check("a site, and a deploy that no user wants", olga+"down", miaNotified+"down", ottoNotified+"down")

		assign := faults.FaultChange{AssigneeID: sett.Some(mia)}
		if err := s.Faults.UpdateFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID("E"), assign); err != nil {
			t.Fatal(err)
		}
		check("assigned", miaNotified+"assigned")
		d.Comment(d.UserID, "E", "@mia @olga @una: look")
		check("a comment", miaNotified+"commented", ottoNotified+"commented")
		d.Comment(otto, "E", "@otto: look")
		check("a comment of Otto who names himself", olga+"commented", miaNotified+"commented")

		d.Run(`UPDATE environments SET notifications = false`)
		d.Comment(d.UserID, "E", "@mia")
		check("in a muted environment")
		d.Run(`UPDATE environments SET notifications = true`)
		d.Run(`UPDATE projects SET active = false`)
		d.Happen(storetest.Noon, storetest.About("site a", alerts.AlertDown)...)
		check("in an inactive project")
		d.Run(`UPDATE projects SET active = true`)
		d.Run(`DELETE FROM memberships WHERE user_id = $1`, mia)
		d.Happen(storetest.Noon, storetest.About("site a", alerts.AlertDown)...)
		check("once Mia has left the account", olga+"down", ottoNotified+"down")
		d.Happen(storetest.Noon, storetest.About("site a", alerts.AlertDown)...)
		if got, err := s.Deliveries.FanOutAlerts(t.Context(), storetest.Noon, 100, false); got.Deliveries != 0 || err != nil {
			t.Errorf("without mail: %+v, %v", got, err)
		}
		if outside == mia {
			t.Error("the test needs a user who cannot see the project")
		}
	})
}

// People follow the errors that they are involved in, and get all news of them, until they unfollow them.
func TestFollowersGetTheNewsOfAnError(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		mia, otto := d.User("Mia", accounts.Member), d.User("Otto", accounts.Member)
		d.Team(d.ProjectID, mia)
		d.Team(d.ProjectID, otto)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"), d.Report("Other"))
		d.fanOutToUsers()
		olga, miaNotified, ottoNotified := fmt.Sprint("user ", d.UserID, " "), fmt.Sprint("user ", mia, " "), fmt.Sprint("user ", otto, " ")
		check := func(name string, want ...string) {
			t.Helper()
			if diff := cmp.Diff(want, d.fanOutToUsers()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		resolve := func(class string, resolved bool) {
			t.Helper()
			d.Update(class, faults.FaultChange{Resolved: sett.Some(resolved)})
		}
		now := storetest.Noon
		follow := func(user int64, class string, follows bool) {
			t.Helper()
			now = now.Add(time.Minute)
			if err := s.Faults.Follow(t.Context(), now, user, d.ProjectID, d.FaultID(class), follows); err != nil {
				t.Fatal(err)
			}
		}
		d.Update("E", faults.FaultChange{AssigneeID: sett.Some(mia)})
		d.Comment(otto, "Other", "Not mine.")
		d.fanOutToUsers()
		resolve("E", true)
		check("resolved, assigned to Mia", miaNotified+"resolved")
		resolve("Other", true)
		check("resolved, commented by Otto", ottoNotified+"resolved")
		d.Comment(d.UserID, "E", "@otto: fixed?")
		check("a mention", miaNotified+"commented", ottoNotified+"commented")
		resolve("E", false)
		check("reopened, with Otto mentioned", miaNotified+"unresolved", ottoNotified+"unresolved")

		follow(mia, "E", false)
		d.Comment(otto, "E", "Yes.")
		check("unfollowed", olga+"commented")
		d.Comment(otto, "E", "@mia: yes.")
		check("a mention of who unfollowed", olga+"commented", miaNotified+"commented")
		resolve("E", true)
		check("a mention does not make her follow again", ottoNotified+"resolved")
		d.Update("E", faults.FaultChange{AssigneeID: sett.Optional[int64]{Sent: true, Null: true}})
		d.Update("E", faults.FaultChange{AssigneeID: sett.Some(mia)})
		check("assigned to who unfollowed", miaNotified+"assigned", ottoNotified+"assigned")
		resolve("E", false)
		check("an assignment does not make her follow again", ottoNotified+"unresolved")
		follow(mia, "E", true)
		resolve("E", true)
		check("followed again", miaNotified+"resolved", ottoNotified+"resolved")

		merge := triage.FaultMerge{IntoID: sett.Some(d.FaultID("Other"))}
		merged := d.FaultID("E")
		if err := s.Faults.MergeFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, merged, merge); err != nil {
			t.Fatal(err)
		}
		d.fanOutToUsers()
		d.Comment(d.UserID, "Other", "Both.")
		check("merged: followers of both", miaNotified+"commented", ottoNotified+"commented")
		follow(mia, "Other", false)
		d.Comment(d.UserID, "Other", "Both.")
		check("unfollowed the merged one", ottoNotified+"commented")
		d.wants(otto, alerts.PersonalAlertsChange{Follows: sett.Some(false)})
		d.Comment(d.UserID, "Other", "Both.")
		check("who wants no news of what they follow")
	})
}

// Who has unsubscribed, or cannot see the project any more, gets none of what was on its way to them.
func TestMailsOnTheirWayToWhoLeaves(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		mia, otto := d.User("Mia", accounts.Member), d.User("Otto", accounts.Member)
		d.Team(d.ProjectID, mia)
		d.Team(d.ProjectID, otto)
		d.Happen(storetest.Noon, storetest.About("site a", alerts.AlertDown)...)
		if got, err := s.Deliveries.FanOutAlerts(t.Context(), storetest.Noon, 100, true); got.Deliveries != 3 || err != nil {
			t.Fatalf("%+v, %v", got, err)
		}
		token, err := s.Deliveries.UnsubscribeToken(t.Context(), otto, d.ProjectID)
		if err == nil {
			_, err = s.Deliveries.Unsubscribe(t.Context(), storetest.Noon, token)
		}
		if err != nil {
			t.Fatal(err)
		}
		d.Run(`DELETE FROM team_members WHERE user_id = $1`, mia)
		claimed, err := s.Deliveries.ClaimDeliveries(t.Context(), storetest.Noon, time.Minute, 10, storetest.AnyRoom)
		if err != nil || len(claimed) != 1 || claimed[0].UserID != d.UserID {
			t.Errorf("claimed %+v, %v", claimed, err)
		}
		if failed := d.Numbers(`SELECT count(*) FROM deliveries WHERE state = 'failed' AND tries = 0`, 1)[0]; failed != 2 {
			t.Errorf("%d were given up, want 2", failed)
		}
	})
}
