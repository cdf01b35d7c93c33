package fromkuma_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app/movein/fromkuma"
	"sett/internal/sett"
	"sett/internal/sett/move"
	"sett/internal/store/db"
)

// kuma makes a database of Uptime Kuma from files of statements and more statements.
func kuma(t *testing.T, statements ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "kuma.db")
	d, err := db.OpenStill(path, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if strings.HasSuffix(s, ".sql") {
			text, err := os.ReadFile(filepath.Join("testdata", s))
			if err != nil {
				t.Fatal(err)
			}
			s = string(text)
		}
		if _, err := d.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, statements ...string) *move.Monitoring {
	t.Helper()
	m, err := fromkuma.Read(t.Context(), kuma(t, statements...))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func at(day, hour, minute int) time.Time {
	return time.Date(2026, 11, day, hour, minute, 0, 0, time.UTC)
}

func TestMonitorsBecomeSitesAndCheckIns(t *testing.T) {
	t.Parallel()
	m := read(t, "v1.sql")
	headers := []move.Header{{Name: "X-Key", Value: "abc"}, {Name: "Authorization", Value: "Basic cHJvYmU6cGFzcw=="}}
	past := move.Past{
		Since: at(10, 0, 0).Add(10 * time.Second), Last: at(12, 9, 0),
		Outages: []move.Outage{{Down: at(11, 10, 0), Up: at(11, 11, 30), Reason: "timeout of 48000ms exceeded"}},
		Days:    []move.Day{{At: at(10, 0, 0), Up: 2, Average: 100 * time.Millisecond}, {At: at(11, 0, 0), Up: 1, Failed: 2, Average: 90 * time.Millisecond}, {At: at(12, 0, 0), Failed: 1}},
	}
	sites := []move.Site{
		{ID: "1", Name: "Shop", URL: "https://shop.example.org/health", Every: time.Minute, Timeout: 48 * time.Second, Method: "GET", Headers: headers, Match: move.AnySuccess, FollowRedirects: true, Failures: 3, Past: past},
		{ID: "2", Name: "Search", URL: "https://search.example.org/", Every: 20 * time.Second, Timeout: 16 * time.Second, Method: "POST", Body: `{"q":1}`, Headers: []move.Header{{Name: "Content-Type", Value: "application/json"}}, Match: move.WithoutIt, Text: "error", AnyCertificate: true, Failures: 1},
		{ID: "3", Name: "Database", URL: "tcp://db.example.org:5432", Every: 5 * time.Minute, Method: "GET", Match: move.AnySuccess, Failures: 1, Paused: true},
		{ID: "6", Name: "Old address", URL: "https://old.example.org/", Every: 15 * time.Minute, Method: "GET", Match: move.OneStatus, Text: "301", FollowRedirects: true, Failures: 1},
		{ID: "7", Name: "Intranet", URL: "https://in.example.org/", Every: time.Minute, Method: "GET", Match: move.AnySuccess, FollowRedirects: true, Failures: 1, Paused: true},
	}
	if diff := cmp.Diff(sites, m.Sites); diff != "" {
		t.Errorf("sites (-want +got):\n%s", diff)
	}
	checkIns := []move.CheckIn{{
		ID: "4", Name: "Backup", Every: time.Hour, Grace: 30 * time.Minute, Aliases: []string{"push/AbCdEfGhIj0123456789"},
		Past: move.Past{Since: at(10, 1, 0), Last: at(10, 4, 0), Outages: []move.Outage{{Down: at(10, 3, 0), Up: at(10, 4, 0), Reason: "No heartbeat in the time window"}}},
	}}
	if diff := cmp.Diff(checkIns, m.CheckIns); diff != "" {
		t.Errorf("check-ins (-want +got):\n%s", diff)
	}
	for _, name := range []string{"Intranet: It sends HEAD", "Intranet: It signs in by ntlm", "Intranet: It accepts the statuses 200-299, 404", "Firewall: It is upside down", "Names: sett has no check of the type dns", "Broker: sett has no check of the type mqtt", "prod: Sites"} {
		if !slices.ContainsFunc(m.Left, func(l move.Left) bool { return strings.HasPrefix(l.Name+": "+l.Why, name) }) {
			t.Errorf("the report does not say %q", name)
		}
	}
}

func TestChannelsAndPages(t *testing.T) {
	t.Parallel()
	m := read(t, "v1.sql")
	channels := []move.Channel{
		{ID: "1", Name: "Team", Type: "Telegram", Options: map[string]any{"token": "123:abc", "chat_id": "-1001"}},
		{ID: "2", Name: "Mail", Type: "Email", Options: map[string]any{"addresses": "ops@example.org"}},
	}
	if diff := cmp.Diff(channels, m.Channels); diff != "" {
		t.Errorf("channels (-want +got):\n%s", diff)
	}
	site := func(id, group string) move.Component {
		return move.Component{Kind: move.SiteKind, ID: id, Group: group}
	}
	pages := []move.StatusPage{{
		ID: "1", Name: "Acme", Slug: "acme", Domain: "status.example.org",
		Components: []move.Component{site("1", "Web"), site("2", "Web"), {Kind: move.CheckInKind, ID: "4", Group: "Jobs"}},
		Incidents: []move.Incident{
			{ID: "1", Name: "Slow", Message: "It was **slow**.", Start: at(11, 10, 5), End: at(11, 11, 40)}, {ID: "2", Name: "Incident", Message: "We look into it.", Start: at(12, 9, 5)},
		},
	}}
	if diff := cmp.Diff(pages, m.Pages); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	if len(m.Windows) != 1 || !m.Windows[0].Start.Equal(time.Date(2099, 12, 1, 21, 0, 0, 0, time.UTC)) || len(m.Windows[0].Of) != 2 {
		t.Errorf("windows %+v", m.Windows)
	}
	var left []string
	for _, l := range m.Left {
		if l.Noun != "monitors" {
			left = append(left, l.Noun+" "+l.Name)
		}
	}
	want := []string{
		"channels Mail", "channels Bark", "channels Broken", "status pages Acme", "status pages Inner", "domains status.example.org", "domains up.example.org",
		"components Acme: Everything", "maintenance Every night", "tags prod",
	}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

// Version 2 keeps the sums of a year; a migration that was cut off leaves some that are wrong.
func TestDaysOfVersion2(t *testing.T) {
	t.Parallel()
	whole, half := read(t, "v1.sql", "v2.sql"), read(t, "v1.sql", "v2.sql", `UPDATE setting SET value = '"migrating"' WHERE key = 'migrateAggregateTableState'`)
	past := whole.Sites[0].Past
	want := move.Day{At: at(1, 0, 0), Up: 1430, Failed: 10, Average: 75 * time.Millisecond}
	if len(past.Days) != 4 || past.Days[0] != want || past.Days[1].Up != 1440 || !past.Since.Equal(at(1, 0, 0)) {
		t.Errorf("days %+v", past)
	}
	if past := half.Sites[0].Past; len(past.Days) != 3 || past.Days[0].Up != 2 {
		t.Errorf("days of a migration that was cut off %+v", past)
	}
	if whole.From != half.From || whole.From.Host == "" || strings.Contains(whole.From.Host, "secret") {
		t.Errorf("from %+v and %+v", whole.From, half.From)
	}
}

// What a file says may be anything.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	if _, err := fromkuma.Read(t.Context(), kuma(t, "CREATE TABLE other (id INTEGER)")); sett.CodeOf(err) != sett.Invalid || !strings.Contains(err.Error(), "is not the database of Uptime Kuma") {
		t.Errorf("another database: %v", err)
	}
	if _, err := fromkuma.Read(t.Context(), kuma(t, "CREATE TABLE monitor (id); CREATE TABLE heartbeat (id)")); sett.CodeOf(err) != sett.Invalid {
		t.Errorf("tables without columns: %v", err)
	}
	odd := read(t, "v1.sql", `UPDATE monitor SET interval = -1, timeout = 'x', maxretries = 9e99, headers = '[1]', accepted_statuscodes_json = '{', name = char(0) || name, retry_interval = 1e300`,
		`UPDATE heartbeat SET time = 'never', status = 'x'`, `UPDATE incident SET created_date = NULL`, `UPDATE maintenance SET timezone = '../../etc/passwd'`, `UPDATE status_page SET slug = '../x'`)
	if len(odd.Sites) != 5 || !odd.Sites[0].Past.Since.IsZero() || len(odd.Windows) != 0 {
		t.Errorf("%+v", odd.Sites)
	}
}
