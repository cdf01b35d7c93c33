package fault_test

import (
	"fmt"
	"strings"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/sett/scrub"
	"sett/internal/store/faultdb"
)

// The page of an error with very many users does not wait until they are sorted: it says at once that there are many, and later who they are.
func TestManyAffectedUsers(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(`{"error":{"class":"Busy"},"request":{"context":{"user_id":"first"}}}`)
	_, err := o.App.Store().Write.ExecContext(t.Context(), fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		INSERT INTO fault_users (fault_id, name, count) SELECT $1, 'user-' || i, i FROM n`, faultdb.MostUsersAtOnce+1), f.ID)
	if err != nil {
		t.Fatal(err)
	}
	const counting = "The users with the most events are being counted"
	o.member.Get(o.path(f)).Want(200, "<b>10,000&#43;</b>", counting)
	page := o.member.Get(o.path(f) + "/users")
	for strings.Contains(page.Body, counting) {
		page = o.member.Get(o.path(f) + "/users")
	}
	page.Want(200, "user-10001", "Showing 200 of 10,00")
	o.member.Get(o.path(f)).Want(200, "user-10001", "10,00").Lacks(counting, "10,000&#43;")
	o.member.Get(o.path(f)+"/users?find=user-1000").Want(200, "user-1000").Lacks("user-999")
}

// What was kept of a page does not name a user who was erased since.
func TestErasedUsersAreNotKept(t *testing.T) {
	t.Parallel()
	o := open(t)
	for n := range 201 { // so many that facets are counted in the background
		o.report(fmt.Sprintf(`{"error":{"class":"Idle%d"}}`, n))
	}
	var f faults.Fault
	for _, user := range []string{"ines@example.test", "ines@example.test", "olaf@example.test"} {
		f = o.report(`{"error":{"class":"Busy"},"request":{"context":{"user_email":"` + user + `"}}}`)
	}
	_, err := o.App.Store().Write.ExecContext(t.Context(), fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		INSERT INTO fault_users (fault_id, name, count) SELECT $1, 'user-' || i, 1 FROM n`, faultdb.MostUsersAtOnce), f.ID)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{o.path(f): "ines@example.test</a> <span>67 %</span>", o.path(f) + "/users": "ines@example.test", o.list(): "the 202 seen last"} {
		for range 1000 { // users and facets are counted in the background
			if strings.Contains(o.member.Get(path).Body, want) {
				break
			}
		}
		o.member.Get(path).Want(200, want, "ines@example.test")
	}
	erased, err := o.App.Store().CreateErasure(t.Context(), o.Clock.Now(), 0, f.ProjectID, scrub.ErasureChange{User: sett.Some("ines@example.test")})
	if err == nil {
		erased, err = o.App.Store().AwaitErasure(t.Context(), f.ProjectID, erased.ID)
	}
	if err != nil || erased.Notices != 2 {
		t.Fatal(erased, err)
	}
	o.member.Get(o.path(f)).Want(200, "olaf@example.test").Lacks("ines@example.test")
	o.member.Get(o.path(f) + "/users").Want(200).Lacks("ines@example.test")
	o.member.Get(o.list()).Want(200, "<span>olaf@example.test</span>").Lacks("ines@example.test")
}
