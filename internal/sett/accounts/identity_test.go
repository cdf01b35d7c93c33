package accounts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sett/internal/sett"
)

func TestJoiningOf(t *testing.T) {
	t.Parallel()
	roles := []GroupRole{{"dev", Member}, {"ops", Admin}, {"money", Billing}, {"ops", Billing}}
	for name, c := range map[string]struct {
		roles  []GroupRole
		groups []string
		want   Joining
		err    string
	}{
		"no roles":       {nil, []string{"ops"}, Joining{"A", Member, false}, ""},
		"one":            {roles, []string{"dev"}, Joining{"A", Member, true}, ""},
		"the strongest":  {roles, []string{"dev", "ops", "money"}, Joining{"A", Admin, true}, ""},
		"others too":     {roles, []string{"sales", "money"}, Joining{"A", Billing, true}, ""},
		"none of them":   {roles, []string{"sales", "OPS"}, Joining{}, "None of your groups may sign in here."},
		"none at all":    {roles, nil, Joining{}, "None of your groups may sign in here."},
		"an empty group": {roles, []string{""}, Joining{}, "None of your groups may sign in here."},
	} {
		got, err := JoiningOf("A", c.roles, c.groups)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if c.err == "" && err != nil || c.err != "" && (sett.CodeOf(err) != sett.Forbidden || !strings.HasPrefix(err.Error(), c.err)) {
			t.Errorf("%s: %v, want %q", name, err, c.err)
		}
	}
}

// However groups change, an account that has an owner keeps one.
func TestFollowKeepsAnOwner(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		users := rapid.SliceOfN(rapid.SampledFrom(Roles), 1, 5).Draw(t, "users")
		users[0] = Owner
		for range 20 {
			who := rapid.IntRange(0, len(users)-1).Draw(t, "who")
			to := rapid.SampledFrom(Roles).Draw(t, "to")
			is := Standing{User: users[who]}
			for _, u := range users {
				if u == Owner {
					is.Owners++
				}
			}
			users[who] = is.Follow(to)
			if last := is.User == Owner && is.Owners == 1; users[who] != to && !last {
				t.Fatalf("%+v becomes %s, not %s", is, users[who], to)
			}
			if !strings.Contains(rolesText(users), string(Owner)) {
				t.Fatalf("no owner is left: %v", users)
			}
		}
	})
}

func rolesText(roles []Role) string {
	var b strings.Builder
	for _, r := range roles {
		b.WriteString(string(r) + " ")
	}
	return b.String()
}

func TestIdentityNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{" Ann ": "Ann", "": "a@b.test", " ": "a@b.test", "A\x00": "a@b.test", strings.Repeat("x", 256): "a@b.test", "\xff": "a@b.test"} {
		if got := (Identity{Email: "a@b.test", Name: name}).UserName(); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
