package ingest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/ingest/ndjson"
	"sett/internal/sett/accounts"
	"sett/internal/sett/scrub"
	"sett/internal/store/storetest"
)

func TestCountsOfScrubbedValues(t *testing.T) {
	t.Parallel()
	var s Scrubbing
	day := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	save := func(fail error) (saved []scrub.Removed) {
		t.Helper()
		err := s.Save(func(all []scrub.Removed) error {
			saved = all
			return fail
		})
		if !errors.Is(err, fail) {
			t.Fatal(err)
		}
		return saved
	}
	if got := save(nil); got != nil {
		t.Errorf("at first, %+v is saved", got)
	}
	s.add(1, day.Add(time.Hour), scrub.Counts{scrub.ByName: 2})
	s.add(1, day.Add(2*time.Hour), scrub.Counts{scrub.ByName: 3})
	s.add(1, day.Add(3*time.Hour), scrub.Counts{})
	save(errors.New("disk full"))
	want := []scrub.Removed{{ProjectID: 1, Day: day, Kind: "name", Count: 5}}
	if diff := cmp.Diff(want, save(nil)); diff != "" {
		t.Errorf("saved after a failure (-want +got):\n%s", diff)
	}
	if got := save(nil); got != nil {
		t.Errorf("%+v is saved twice", got)
	}
}

func TestEventsAreScrubbed(t *testing.T) {
	t.Parallel()
	in := &Ingest{scrubbing: new(Scrubbing)}
	sent := in.newEvents(accounts.KeyedProject{ProjectID: 1, Scrubbing: `{"names":["vat_id"]}`})
	lines, err := ndjson.Read([]byte(`{"event_type":"login","user":{"password":"hunter2","name":"Ines"},"url":"/?token=hunter2&x=1","card":4111111111111111,"VAT-ID":"hunter2","list":[{"secret":"hunter2"}],"max_tokens":7,"secret":{"a":"hunter2"},"token":{"count":8},"env":{"PATH":"/bin","HOME":"/root","SENDGRID":"hunter2"},"SENDGRID":"kept"}`), "", storetest.Noon)
	if err != nil || len(lines) != 1 {
		t.Fatal(lines, err)
	}
	sent.add(lines[0].Event, lines[0].Bytes)
	body := string(sent.body)
	for _, hidden := range []string{"hunter2", "4111111111111111"} {
		if strings.Contains(body, hidden) {
			t.Errorf("%s is stored: %q", hidden, body)
		}
	}
	for _, kept := range []string{"Ines", "login", "x=1", "7", "8", "/root", "kept"} {
		if !strings.Contains(body, kept) {
			t.Errorf("%s is removed: %q", kept, body)
		}
	}
	if want := (scrub.Counts{scrub.ByName: 5, scrub.ByCard: 1, scrub.ByShell: 1}); sent.scrubbed != want {
		t.Errorf("%v values are counted, want %v", sent.scrubbed, want)
	}
}

// Settings of a later version, or of none, do not turn scrubbing off.
func TestRulesOfUnreadableSettings(t *testing.T) {
	t.Parallel()
	var s Scrubbing
	for _, text := range []string{"", "{", `{"patterns":["("]}`, `{"names":7}`} {
		if !s.rulesOf(accounts.KeyedProject{Scrubbing: text}).IsSecret("password") {
			t.Errorf("with the settings %q, passwords are stored", text)
		}
	}
	own := s.rulesOf(accounts.KeyedProject{Scrubbing: `{"own_only":true,"names":["iban"]}`})
	if own.IsSecret("password") || !own.IsSecret("IBAN") {
		t.Error("the project's own rules are not used")
	}
	if again := s.rulesOf(accounts.KeyedProject{Scrubbing: `{"own_only":true,"names":["iban"]}`}); again != own {
		t.Error("rules are made for each notice")
	}
}

// TestStoredRulesStayInForce has settings of an earlier version, which allowed more: what its patterns cannot check is removed whole.
func TestStoredRulesStayInForce(t *testing.T) {
	t.Parallel()
	settings := scrub.Settings{Names: []string{"plate"}, Patterns: []string{`(a?){400}b`, `ORD-\d+`}}
	var counts scrub.Counts
	rules := new(Scrubbing).rulesOf(accounts.KeyedProject{Scrubbing: settings.Text()})
	for text, want := range map[string]string{
		"plate=1":                  "plate=" + scrub.Filtered,
		"of ORD-1":                 "of " + scrub.Filtered,
		strings.Repeat("a", 1<<16): scrub.Filtered,
	} {
		if got := rules.CleanText(text, &counts); got != want {
			t.Errorf("%.20s is stored as %.50s", text, got)
		}
	}
}
