package movein_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app/movein"
	"sett/internal/app/movein/fromsentry"
	"sett/internal/ingest/event"
	"sett/internal/ingest/repair"
	"sett/internal/ingest/sentry"
	"sett/internal/monitor/probe"
	"sett/internal/notify/channel"
	"sett/internal/sett/move"
	"sett/internal/setttest"
	"sett/internal/setttest/oldsentry"
	"sett/internal/setttest/recording"
	"sett/internal/store/movedb"
)

const oldKey = "a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4"

// sentEvents are the errors that SDKs were recorded to send.
func sentEvents(t *testing.T) (all []map[string]any) {
	t.Helper()
	for _, client := range []string{"sentry-browser", "sentry-go", "sentry-java", "sentry-node", "sentry-python", "sentry-ruby", "sentry-rust"} {
		for _, c := range recording.Captures(t, client) {
			target, err := url.Parse(c.Target)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(strings.TrimSuffix(target.Path, "/"), "/envelope") {
				continue
			}
			body, err := new(event.Inflater).Plain(c.Body, c.Header.Get("Content-Encoding"), event.Bounds{Most: 8 << 20}, new([]byte), new(repair.Notes))
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			envelope, err := sentry.ReadEnvelope(body)
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			for _, item := range envelope.Items {
				object := map[string]any{}
				if item.Type != "event" || json.Unmarshal(item.Payload, &object) != nil || object["type"] == "feedback" {
					continue
				}
				all = append(all, object)
			}
		}
	}
	if len(all) < 40 {
		t.Fatalf("only %d events are recorded", len(all))
	}
	return all
}

// old starts the server that people move away from, with an issue for each event.
func old(t *testing.T, now time.Time, sent []map[string]any) *oldsentry.Server {
	t.Helper()
	p := &oldsentry.Project{Slug: "web", Platform: "node-express", Key: strings.ToUpper(oldKey), Environments: []string{"production"}}
	for i, object := range sent {
		p.Issues = append(p.Issues, &oldsentry.Issue{
			ID: strconv.Itoa(4000 + i), Short: "WEB-" + strconv.Itoa(i), Title: "An error", Type: "Error", Value: "said", Status: []string{"unresolved", "resolved"}[i%2],
			First: now.Add(-72 * time.Hour), Last: now.Add(-time.Duration(i+1) * time.Minute), Count: 100, Notes: []string{"Seen it", "Fixed"}[:i%3],
			Events: []oldsentry.Event{{ID: fmt.Sprintf("%032x", 0xabc000+i), Hash: "h", Sent: object}},
		})
	}
	return (&oldsentry.Server{Projects: []*oldsentry.Project{p}, PerPage: 7}).Start(t)
}

// unled follows no redirect, like the client of an import.
var unled = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func options(t *testing.T, s *setttest.Server, o *oldsentry.Server) movein.Options {
	t.Helper()
	source, err := fromsentry.New(fromsentry.Options{
		URL: o.URL, Token: oldsentry.Token, Org: "acme", Do: unled.Do, Now: s.Clock.Now,
		Wait: func(context.Context, time.Duration, string) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return movein.Options{
		Source: source, Rules: movein.Rules{Sites: probe.Rules(), Channels: channel.Rules()}, Moves: s.App.Store().Moves, Owner: movedb.Owner{AccountID: s.Setup.AccountID, UserID: s.Setup.UserID}, Events: 1, Now: s.Clock.Now,
		Audited: func(ctx context.Context, _, _ string) context.Context { return ctx },
	}
}

func run(t *testing.T, o movein.Options) *move.Report {
	t.Helper()
	report, err := movein.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// row reads numbers of the database.
func row(t *testing.T, s *setttest.Server, statement string) int64 {
	t.Helper()
	var n int64
	if err := s.App.Store().Read.QueryRowContext(t.Context(), statement).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

const ofWeb = ` FROM faults f JOIN fault_counts c ON c.fault_id = f.id JOIN projects p ON p.id = f.project_id WHERE p.name = 'web'`

// send sends an event with the key of the old server, as its SDK does after it was given the new host.
func send(t *testing.T, s *setttest.Server, id string, object map[string]any) {
	t.Helper()
	object["event_id"] = id
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.App.BaseURL()+"/api/7/envelope/?sentry_key="+oldKey, strings.NewReader("{}\n{\"type\":\"event\"}\n"+string(text)))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(response.Body)
		t.Fatalf("an event was refused with status %d: %s", response.StatusCode, said)
	}
}

// What was recorded of every SDK lands, after the move, in the error that came from the old server.
func TestNewEventsLandInImportedErrors(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"sent", "shown", "GlitchTip"} {
		noRaw := form != "sent"
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			setttest.Each(t, func(t *testing.T, s *setttest.Server) {
				sent := sentEvents(t)
				if noRaw { // what an SDK said about grouping is not shown
					sent = slices.DeleteFunc(sent, func(object map[string]any) bool { return object["fingerprint"] != nil })
				}
				o := old(t, s.Clock.Now(), sent)
				o.NoRaw, o.GlitchTip = noRaw, form == "GlitchTip"
				run(t, options(t, s, o))
				n := int64(len(sent))
				if got, count := row(t, s, `SELECT count(*)`+ofWeb), row(t, s, `SELECT CAST(sum(c.notices_count) AS bigint)`+ofWeb); got != n || count != 100*n {
					t.Fatalf("%d errors with %d events, want %d with %d", got, count, n, 100*n)
				}
				for i, object := range sent {
					send(t, s, fmt.Sprintf("%032x", 0xdef000+i), object)
					if got := row(t, s, `SELECT count(*)`+ofWeb); got != n {
						t.Errorf("event %d made an error: %v %v", i, object["platform"], object["message"])
						n = got
					}
				}
				if err := s.App.Store().Intake.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
				if count := row(t, s, `SELECT CAST(sum(c.notices_count) AS bigint)`+ofWeb); count != 101*int64(len(sent)) {
					t.Errorf("%d events in all, want %d", count, 101*len(sent))
				}
				if alerts := row(t, s, `SELECT count(*) FROM alerts a JOIN projects p ON p.id = a.project_id WHERE p.name = 'web'`); alerts > n {
					t.Errorf("%d alerts", alerts)
				}
			})
		})
	}
}

// A second run adds nothing, and brings what has changed.
func TestTwiceGivesNoDuplicates(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		o := old(t, s.Clock.Now(), sentEvents(t)[:9])
		first := run(t, options(t, s, o))
		want := []move.Came{{Noun: "projects", Found: 1, Made: 1}, {Noun: "keys", Found: 1, Made: 1}, {Noun: "errors", Found: 9, Made: 9}, {Noun: "events", Found: 9, Made: 9}, {Noun: "comments", Found: 9, Made: 9}}
		if diff := cmp.Diff(want, first.Came); diff != "" {
			t.Errorf("what came (-want +got):\n%s", diff)
		}
		const all = `SELECT (SELECT count(*) FROM faults) + 100 * (SELECT count(*) FROM notices) + 10000 * (SELECT count(*) FROM comments) + 1000000 * (SELECT count(*) FROM imported)
			+ 100000000 * (SELECT count(*) FROM fault_notices) + 10000000000 * (SELECT count(*) FROM projects)`
		before := row(t, s, all)
		again := run(t, options(t, s, o))
		if after := row(t, s, all); after != before || again.Came[2] != (move.Came{Noun: "errors", Found: 9, Present: 9}) {
			t.Errorf("a second run changed %d to %d: %+v", before, after, again.Came)
		}
		o.Projects[0].Issues[0].Count, o.Projects[0].Issues[0].Status = 130, "ignored"
		o.Projects[0].Issues[0].Notes = append(o.Projects[0].Issues[0].Notes, "More")
		run(t, options(t, s, o))
		if got := row(t, s, `SELECT max(c.notices_count)`+ofWeb+` AND f.ignored`); got != 130 {
			t.Errorf("the error occurred %d times after a run, want 130", got)
		}
		if after := row(t, s, all); after != before+10000+1000000 {
			t.Errorf("%d became %d, want a comment more", before, after)
		}
	})
}

// What is stored is counted by no one again, also not by a process that starts.
func TestImportedEventsAreCountedOnce(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		run(t, options(t, s, old(t, s.Clock.Now(), sentEvents(t)[:5])))
		store := s.App.Store()
		counted, err := store.Rollups.CatchUp(t.Context(), -1, "")
		if err != nil || counted != 0 {
			t.Errorf("%d events are counted again, %v", counted, err)
		}
		if count := row(t, s, `SELECT CAST(sum(c.notices_count) AS bigint)`+ofWeb); count != 500 {
			t.Errorf("%d events", count)
		}
	})
}

// A key that two errors share goes to the one that was seen later; the other stays with a note.
func TestSharedKeysGoToTheLaterError(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		one := sentEvents(t)[0]
		o := old(t, s.Clock.Now(), []map[string]any{one, one})
		o.Projects[0].Issues[0].Last = s.Clock.Now().Add(-time.Hour)
		report := run(t, options(t, s, o))
		send(t, s, strings.Repeat("d", 32), one)
		if err := s.App.Store().Intake.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if row(t, s, `SELECT min(c.notices_count)`+ofWeb+` AND f.tags LIKE '%web-0%'`) != 100 || row(t, s, `SELECT min(c.notices_count)`+ofWeb+` AND f.tags LIKE '%web-1%'`) != 101 {
			t.Error("the event is not in the error that was seen later")
		}
		if n := row(t, s, `SELECT count(*) FROM comments WHERE body LIKE '%which was seen later%'`); n != 1 || !hasLeft(report, "events of shared errors", "WEB-0") {
			t.Errorf("%d notes, %+v", n, report.Left)
		}
	})
}

func hasLeft(r *move.Report, noun, name string) bool {
	for _, l := range r.Left {
		if l.Noun == noun && l.Name == name {
			return true
		}
	}
	return false
}

// A dry run writes nothing, and counts.
func TestDryRunWritesNothing(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	o := options(t, s, old(t, s.Clock.Now(), sentEvents(t)[:9]))
	o.DryRun = true
	report := run(t, o)
	want := []move.Came{{Noun: "projects", Found: 1, Made: 1}, {Noun: "keys", Found: 1, Made: 1}, {Noun: "errors", Found: 9, Made: 9}}
	if diff := cmp.Diff(want, report.Came); diff != "" {
		t.Errorf("what would come (-want +got):\n%s", diff)
	}
	if n := row(t, s, `SELECT (SELECT count(*) FROM imported) + (SELECT count(*) FROM faults) + (SELECT count(*) FROM import_runs) + (SELECT count(*) FROM projects)`); n != 1 {
		t.Errorf("%d rows, want the project that was there", n)
	}
}

// A run that is cut off at any request and begun again brings the same as one that is not.
func TestCutOffRunsGoOn(t *testing.T) {
	t.Parallel()
	const rows = `SELECT (SELECT count(*) FROM faults) + 100 * (SELECT count(*) FROM notices) + 10000 * (SELECT count(*) FROM comments) + 1000000 * (SELECT count(*) FROM imported)
		+ 100000000 * (SELECT count(*) FROM fault_keys) + 10000000000 * (SELECT count(*) FROM projects)`
	whole := setttest.Start(t, "sqlite")
	sent := sentEvents(t)[:9]
	run(t, options(t, whole, old(t, whole.Clock.Now(), sent)))
	s := setttest.Start(t, "sqlite")
	o := old(t, s.Clock.Now(), sent)
	for cut := 1; ; cut += 3 {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		o.Before = func(http.ResponseWriter, *http.Request) bool {
			if n++; n == cut {
				cancel()
			}
			return false
		}
		_, err := movein.Run(ctx, options(t, s, o))
		cancel()
		if err == nil {
			break
		}
		if cut > 500 {
			t.Fatal(err)
		}
	}
	if want, got := row(t, whole, rows), row(t, s, rows); got != want {
		t.Errorf("%d rows, want %d", got, want)
	}
	if count := row(t, s, `SELECT CAST(sum(c.notices_count) AS bigint)`+ofWeb); count != 900 {
		t.Errorf("%d events in all", count)
	}
}
