package operate

import (
	"strings"
	"testing"

	"sett/internal/sett"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

func TestSetupSaysWhatCannotBeUsed(t *testing.T) {
	t.Parallel()
	in := Installation{Options: db.Options{Dir: t.TempDir()}}
	good := SetupOptions{Email: "olga@example.test", Name: "Olga", Account: "Acme", Project: "Shop"}
	tests := map[string]struct {
		change func(*SetupOptions)
		want   string
	}{
		"no address":     {func(o *SetupOptions) { o.Email = "olga" }, "--email must be an email address such as you@example.org"},
		"two of them":    {func(o *SetupOptions) { o.Email = "olga@example.test, ann@example.test" }, "--email must be an email address such as you@example.org"},
		"blank names":    {func(o *SetupOptions) { o.Name, o.Account, o.Project = " ", " ", " " }, "--name can't be blank; --account can't be blank; --project can't be blank"},
		"short password": {func(o *SetupOptions) { o.Password = "hush" }, "--password is too short (minimum is 10 characters); four random words work well"},
		"long password":  {func(o *SetupOptions) { o.Password = strings.Repeat("x", 129) }, "--password is too long (maximum is 128 characters)"},
		"their address":  {func(o *SetupOptions) { o.Email, o.Password = " OLGA@example.test", "Olga@example.test" }, "--password must not be your address or your name, which others would try first"},
		"their name":     {func(o *SetupOptions) { o.Name, o.Password = " Olga of Acme", "olga of acme" }, "--password must not be your address or your name, which others would try first"},
		"all of it":      {func(o *SetupOptions) { o.Email, o.Password = "olga", "olga" }, "--email must be an email address such as you@example.org; --password is too short (minimum is 10 characters); four random words work well"},
		"too long":       {func(o *SetupOptions) { o.Project = strings.Repeat("x", 256) }, "--project is too long (maximum is 255 characters)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := good
			tt.change(&o)
			if r, err := Setup(t.Context(), in, o); sett.CodeOf(err) != sett.Invalid || err.Error() != tt.want || r != (SetupResult{}) {
				t.Errorf("got %+v, %v; want %s", r, err, tt.want)
			}
		})
	}
	good.Password, good.Team = "five pale otters", "Crew"
	in.Dir = t.TempDir()
	r, err := Setup(t.Context(), in, good)
	if err != nil || r.APIKey == "" || !r.HasPassword || r.Email != good.Email {
		t.Errorf("good options: %+v, %v", r, err)
	}
	good.Team = "Another crew" // of a server that is set up already
	if again, err := Setup(t.Context(), in, good); err != nil || again.ProjectID != r.ProjectID {
		t.Errorf("again: %+v, %v", again, err)
	}
	s, err := store.Open(t.Context(), in.Options)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	teams, _, err := s.Accounts.ListTeams(t.Context(), r.UserID, accountdb.TeamFilter{AccountID: r.AccountID, Page: sett.Page{Size: 9}})
	if err != nil || len(teams) != 1 || teams[0].Name != "Crew" || len(teams[0].Projects) != 1 || teams[0].Projects[0].ID != r.ProjectID || len(teams[0].Members) != 1 {
		t.Errorf("the teams are %+v, %v; want one with the first project and the owner", teams, err)
	}
}

func TestSetupCommand(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]db.Options{
		"sett setup --data /var/lib/sett":                                      {Dir: "/var/lib/sett"},
		`sett setup --data '/srv/o'\''hara & co'`:                              {Dir: "/srv/o'hara & co"},
		"sett setup, with the same --database or SETT_DATABASE as this server": {Dir: "/srv", Database: "postgres://u:hush@h/sett"},
	} {
		if got := SetupCommand(o); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
