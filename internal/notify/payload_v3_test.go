package notify

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/notify/channel"
	"sett/internal/sett/alerts"
)

// composeV3 writes the payload of version 3 of an alert as a golden file has it.
func (s *scene) composeV3(a alerts.Alert) string {
	s.t.Helper()
	body, err := s.ComposeV3(s.t.Context(), a)
	s.must(err)
	check(s.t, schemaV3Of(s.t, a.Event, true), body)
	return s.settledBody(body)
}

// settledBody is a payload with what chance has made replaced.
func (s *scene) settledBody(body json.RawMessage) string {
	s.t.Helper()
	var text bytes.Buffer
	s.must(json.Indent(&text, body, "", "  "))
	return s.replaced(text.String()) + "\n"
}

// The payload of version 3 of every event is the same on each engine, and as its schema says.
func TestPayloadsV3(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(s *scene) {
		for _, e := range append(alerts.AlertEvents(), alerts.AlertFlooded) {
			golden(s.t, "v3/"+string(e)+".json", s.composeV3(s.alert(e)))
		}
		golden(s.t, "v3/resolved_many.json", s.composeV3(s.alert(alerts.AlertResolved, many)))
		golden(s.t, "v3/assigned_many.json", s.composeV3(s.alert(alerts.AlertAssigned, many)))
		golden(s.t, "v3/resolved_by_sett.json", s.composeV3(s.alert(alerts.AlertResolved, func(a *alerts.Alert) { a.Facts.Actor = nil })))
		golden(s.t, "v3/check_in_missing_cron.json", s.composeV3(s.alert(alerts.AlertCheckInMissing, func(a *alerts.Alert) {
			a.Facts.CheckIn.ID, a.Facts.CheckIn.Name = s.cron.ID, "Bills"
		})))
		test := s.alert(alerts.AlertOccurred)
		test.FaultID, test.Subject, test.Facts = 0, alerts.ProjectSubject(s.project.ID), alerts.AlertFacts{Test: true}
		golden(s.t, "v3/test.json", s.composeV3(test))
	})
}

// Every golden file of version 3 is what its schema says, and one of version 2 names no version.
func TestGoldenPayloadsV3AreAsPublished(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/v3/*.json")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		var body json.RawMessage
		readJSON(t, file, &body)
		var head struct {
			Event   string `json:"event"`
			Version string `json:"payload_version"`
		}
		readJSON(t, file, &head)
		seen[head.Event] = true
		if head.Version != "v3" {
			t.Errorf("%s: version %q", file, head.Version)
		}
		check(t, schemaV3Of(t, alerts.AlertEvent(head.Event), true), body)
	}
	for _, p := range PayloadsV3("https://sett.example.org") {
		if !seen[p.Event] {
			t.Errorf("%s has no golden payload of version 3", p.Event)
		}
	}
	files, err = filepath.Glob("testdata/*.golden.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		var m channel.Message
		readJSON(t, file, &m)
		if bytes.Contains(m.Body, []byte("payload_version")) {
			t.Errorf("%s names a version", file)
		}
	}
}

// Of objects that are gone, a payload of version 3 says what the alert knew.
func TestPayloadsV3OfWhatIsGone(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for _, e := range append(alerts.AlertEvents(), alerts.AlertFlooded) {
		gone := s.alert(e, func(a *alerts.Alert) { a.ProjectID += 100 })
		s.composeV3(gone)
		gone.Facts = alerts.AlertFacts{FaultIDs: gone.Facts.FaultIDs}
		s.composeV3(gone)
	}
}

// A payload of version 3 has no more than any other, and what was cut keeps its form.
func TestPayloadsV3AreShortened(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	source := map[string]any{}
	for i := range 25 {
		source[string(rune('1'+i%9))+strings.Repeat("0", i/9)] = strings.Repeat("<", 1024)
	}
	var frames []any
	for range 30 {
		frames = append(frames, map[string]any{"file": "[PROJECT_ROOT]/a.rb", "method": "pay", "number": 3, "source": source})
	}
	wide := map[string]any{}
	for i := range 400 {
		wide[strings.Repeat("k", i%20+1)+string(rune('a'+i%26))] = strings.Repeat("v", 20)
	}
	a := s.swollen(map[string]any{
		"error":   map[string]any{"class": "Large", "message": strings.Repeat("<", 50_000), "backtrace": frames},
		"request": map[string]any{"params": wide, "session": map[string]any{"x": strings.Repeat("s", 20_000)}, "context": wide},
	})
	of, err := s.Composer.Sheets.OfAlert(t.Context(), a)
	s.must(err)
	whole, err := json.Marshal(newContext(a, of, s.BaseURL, s.ReportURL).payloadV3("x"))
	s.must(err)
	if !bytes.Contains(whole, []byte(`"request_fields_removed":["session"]`)) {
		t.Errorf("a large session: %.500s", whole)
	}
	smallest := 0
	for _, most := range []int{len(whole) - 1, 256 << 10, 100_000, 50_000, 1} {
		short, err := shorten(whole, most)
		s.must(err)
		if len(short) > max(most, 40_000) {
			t.Errorf("%d bytes of %d", len(short), most)
		}
		check(t, schemaV3Of(t, a.Event, true), short)
		smallest = len(short)
	}
	if smallest > mostPayload || len(whole) < mostPayload {
		t.Errorf("%d bytes of %d", smallest, len(whole))
	}
}

// What both versions say of an event is the same: the line, and the page.
func TestVersionsAgree(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for _, e := range append(alerts.AlertEvents(), alerts.AlertFlooded) {
		m := s.compose(s.alert(e))
		body, err := s.ComposeV3(t.Context(), s.alert(e))
		s.must(err)
		var v3 struct {
			Event, Message string
			Links          struct{ Web string }
		}
		s.must(json.Unmarshal(body, &v3))
		if diff := cmp.Diff([]string{string(m.Event), m.Text, m.URL}, []string{v3.Event, v3.Message, v3.Links.Web}); diff != "" {
			t.Errorf("%s (-v2 +v3):\n%s", e, diff)
		}
	}
}
