package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store/accountdb"
)

func TestSetupSaysWhatCannotBeUsed(t *testing.T) {
	t.Parallel()
	cfg := Config{Data: t.TempDir()}
	good := SetupOptions{Email: "olga@example.test", Name: "Olga", Account: "Acme", Project: "Shop"}
	tests := map[string]struct {
		change func(*SetupOptions)
		want   string
	}{
		"no address":     {func(o *SetupOptions) { o.Email = "olga" }, "--email must be an email address such as you@example.org"},
		"two of them":    {func(o *SetupOptions) { o.Email = "olga@example.test, ann@example.test" }, "--email must be an email address such as you@example.org"},
		"blank names":    {func(o *SetupOptions) { o.Name, o.Account, o.Project = " ", " ", " " }, "--name can't be blank; --account can't be blank; --project can't be blank"},
		"short password": {func(o *SetupOptions) { o.Password = "hush" }, "--password is too short (minimum is 10 characters); a few words that only you would put together are easy to keep"},
		"long password":  {func(o *SetupOptions) { o.Password = strings.Repeat("x", 129) }, "--password is too long (maximum is 128 characters)"},
		"their address":  {func(o *SetupOptions) { o.Email, o.Password = " OLGA@example.test", "Olga@example.test" }, "--password must not be your address or your name, which others would try first"},
		"their name":     {func(o *SetupOptions) { o.Name, o.Password = " Olga of Acme", "olga of acme" }, "--password must not be your address or your name, which others would try first"},
		"all of it":      {func(o *SetupOptions) { o.Email, o.Password = "olga", "olga" }, "--email must be an email address such as you@example.org; --password is too short (minimum is 10 characters); a few words that only you would put together are easy to keep"},
		"too long":       {func(o *SetupOptions) { o.Project = strings.Repeat("x", 256) }, "--project is too long (maximum is 255 characters)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := good
			tt.change(&o)
			if r, err := Setup(t.Context(), cfg, o); sett.CodeOf(err) != sett.Invalid || err.Error() != tt.want || r != (SetupResult{}) {
				t.Errorf("got %+v, %v; want %s", r, err, tt.want)
			}
		})
	}
	good.Password, good.Team = "five pale otters", "Crew"
	cfg.Data = t.TempDir()
	r, err := Setup(t.Context(), cfg, good)
	if err != nil || r.APIKey == "" || !r.HasPassword || r.Email != good.Email {
		t.Errorf("good options: %+v, %v", r, err)
	}
	good.Team = "Another crew" // of a server that is set up already
	if again, err := Setup(t.Context(), cfg, good); err != nil || again.ProjectID != r.ProjectID {
		t.Errorf("again: %+v, %v", again, err)
	}
	s, err := OpenStore(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	teams, _, err := s.Accounts.ListTeams(t.Context(), r.UserID, accountdb.TeamFilter{AccountID: r.AccountID, Page: sett.Page{Size: 9}})
	if err != nil || len(teams) != 1 || teams[0].Name != "Crew" || len(teams[0].Projects) != 1 || teams[0].Projects[0].ID != r.ProjectID || len(teams[0].Members) != 1 {
		t.Errorf("the teams are %+v, %v; want one with the first project and the owner", teams, err)
	}
}

// warnings starts and stops a server and returns the command of each warning that it logged.
func warnings(t *testing.T, data string) (commands []string) {
	t.Helper()
	var log bytes.Buffer
	cfg := Config{Data: data, Listen: "127.0.0.1:0"}
	a, err := New(t.Context(), cfg, slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Start(), a.Stop(context.WithoutCancel(t.Context()))); err != nil {
		t.Fatal(err)
	}
	for lines := json.NewDecoder(&log); ; {
		var line struct{ Command string }
		switch err := lines.Decode(&line); {
		case err == io.EOF:
			return commands
		case err != nil:
			t.Fatal(err)
		}
		commands = append(commands, line.Command)
	}
}

func TestStartSaysHowToMakeTheFirstAccount(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if diff := cmp.Diff([]string{"sett setup --data " + data}, warnings(t, data)); diff != "" {
		t.Errorf("without an account (-want +got):\n%s", diff)
	}
	o := SetupOptions{Email: "olga@example.test", Name: "Olga", Account: "Acme", Project: "Shop"}
	if _, err := Setup(t.Context(), Config{Data: data}, o); err != nil {
		t.Fatal(err)
	}
	if got := warnings(t, data); len(got) > 0 {
		t.Errorf("with an account: %q", got)
	}
}

func TestSetupCommand(t *testing.T) {
	t.Parallel()
	for want, cfg := range map[string]Config{
		"sett setup --data /var/lib/sett":                                      {Data: "/var/lib/sett"},
		`sett setup --data '/srv/o'\''hara & co'`:                              {Data: "/srv/o'hara & co"},
		"sett setup, with the same --database or SETT_DATABASE as this server": {Data: "/srv", Database: "postgres://u:hush@h/sett"},
	} {
		if got := setupCommand(cfg); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
