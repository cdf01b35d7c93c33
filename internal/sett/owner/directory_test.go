package owner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func TestOwnersAreUsersAndTeams(t *testing.T) {
	t.Parallel()
	d := Directory{
		People: []sett.Person{{ID: 1, Email: "Ada@example.test"}, {ID: 2, Email: "ines@example.test"}, {ID: 3, Email: "olaf@example.test"}},
		Teams:  []Team{{7, true, "iOS App", []int64{3, 1, 9}}, {8, false, "Payments", nil}}, // user 9 cannot see the project
	}
	for _, c := range []struct {
		names []string
		want  Owners
	}{
		{[]string{"ada@example.test"}, Owners{Users: []int64{1}, Assignee: &d.People[0]}},
		{[]string{"ines@example.test", "ada@example.test"}, Owners{Users: []int64{1, 2}}},
		{[]string{"@acme/ios-app"}, Owners{Users: []int64{1, 3}, Assignee: &sett.Person{ID: -7, Name: "iOS App"}}},
		{[]string{"@IOS_app", "olaf@example.test"}, Owners{Users: []int64{1, 3}}},
		{[]string{"@payments"}, Owners{}},
		{[]string{"@web", "eve@example.test"}, Owners{Unknown: []string{"@web", "eve@example.test"}}},
		{nil, Owners{}},
	} {
		if diff := cmp.Diff(c.want, d.Resolve(c.names)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.names, diff)
		}
	}
}
