package notify

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
)

// swollen makes alerts of a fault whose last notice is as large as hostile clients make them.
func (s *scene) swollen(body map[string]any) alerts.Alert {
	s.t.Helper()
	text, err := json.Marshal(body)
	s.must(err)
	id := sett.NewUUID(rand.Reader)
	s.record(&faults.Report{
		AccountID: s.setup.AccountID, ProjectID: s.project.ID, Token: id, Class: "Large", Message: strings.Repeat("<", 60_000), Environment: "production",
		Grouping: faults.Grouping{Key: [16]byte(id), Rule: 1, Basis: "location", Environment: "production"}, Body: text,
	})
	n, err := s.Faults.NoticeByUUID(s.t.Context(), s.project.ID, id)
	s.must(err)
	return s.alert(alerts.AlertOccurred, func(a *alerts.Alert) { a.FaultID, a.Facts.NoticeID = n.FaultID, n.Key })
}

func TestLargePayloads(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	nested := any(strings.Repeat("x", 500))
	for range 60 {
		nested = map[string]any{"in": nested, "list": []any{nested, 1}}
		if text, _ := json.Marshal(nested); len(text) > 300_000 {
			break
		}
	}
	wide, frames := map[string]any{}, []any{}
	for i := range 3000 {
		wide[fmt.Sprint("key", i, strings.Repeat("&", 20))] = strings.Repeat("\"", 20)
	}
	for i := range 400 {
		source := map[string]any{}
		for line := range 9 {
			source[fmt.Sprint(line)] = strings.Repeat("é<", 100)
		}
		frames = append(frames, map[string]any{
			"file": fmt.Sprint("[PROJECT_ROOT]/", i, ".rb"), "method": strings.Repeat("m", 300), "number": i, "source": source, "args": []any{wide["key1"], strings.Repeat("a", 400)},
		})
	}
	for name, c := range map[string]struct {
		body  map[string]any
		where []string
		keep  string
	}{
		"a long trace": {
			map[string]any{"error": map[string]any{"class": "Large", "backtrace": frames}},
			[]string{"notice.application_trace", "notice.backtrace"},
			`"[PROJECT_ROOT]/0.rb"`,
		},
		"wide params":   {map[string]any{"request": map[string]any{"params": wide}}, []string{"notice.request.params"}, `"notices_count":7`},
		"deep context":  {map[string]any{"request": map[string]any{"context": nested}}, []string{"notice.request.context"}, `"klass":"Large"`},
		"long variable": {map[string]any{"request": map[string]any{"cgi_data": map[string]any{"A": strings.Repeat("\u2028", 90_000), "B": "b"}}}, []string{"notice.web_environment.A"}, `"B":"b"`},
		"long number":   {map[string]any{"request": map[string]any{"session": map[string]any{"n": json.Number("1." + strings.Repeat("0", 300_000))}}}, []string{"notice.request.session"}, `"n":1`},
	} {
		m := s.compose(s.swollen(c.body))
		var p struct{ Shortened []string }
		s.must(json.Unmarshal(m.Body, &p))
		if len(m.Body) > mostPayload || !slices.ContainsFunc(c.where, func(w string) bool { return slices.Contains(p.Shortened, w) }) {
			t.Errorf("%s: %d bytes, shortened %v", name, len(m.Body), p.Shortened)
		}
		if !bytes.Contains(m.Body, []byte(c.keep)) {
			t.Errorf("%s: %s is missing in %.3000s", name, c.keep, m.Body)
		}
		s.checkSchema(m)
	}
}

// The last sizeBudget makes anything small enough, and every sizeBudget leaves a payload of its event.
func TestEveryRation(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	evil, everything := map[string]any{}, map[string]any{}
	for i := range 20 {
		evil[fmt.Sprint(i, strings.Repeat("<", 200))] = strings.Repeat("&", 200)
	}
	frames := []any{}
	for range 3 {
		frames = append(frames, map[string]any{"file": strings.Repeat("<", 500), "method": strings.Repeat(">", 500), "class": strings.Repeat("<", 500), "source": evil, "args": []any{evil, evil}})
	}
	everything["error"] = map[string]any{"class": strings.Repeat("<", 5000), "message": strings.Repeat("<", 50_000), "backtrace": frames}
	everything["request"] = map[string]any{
		"params": evil, "session": evil, "context": evil, "cgi_data": evil, "url": strings.Repeat("&", 30_000), "component": strings.Repeat("&", 3000), "action": strings.Repeat("&", 3000),
	}
	everything["server"] = map[string]any{"stats": evil, "hostname": strings.Repeat("&", 3000), "project_root": strings.Repeat("&", 3000), "environment_name": strings.Repeat("&", 3000)}
	a := s.swollen(everything)
	of, err := s.Composer.Sheets.OfAlert(t.Context(), a)
	s.must(err)
	st := newContext(a, of, s.BaseURL, s.ReportURL)
	for range 20 {
		st.notice.Backtrace = append(st.notice.Backtrace, st.notice.Backtrace[0])
	}
	for range 100 {
		st.environments = append(st.environments, accounts.Environment{EnvironmentSettings: accounts.EnvironmentSettings{Name: strings.Repeat("<", 255)}})
		st.project.Users = append(st.project.Users, sett.Person{ID: 1, Email: strings.Repeat("<", 255), Name: strings.Repeat("<", 255)})
		st.project.Sites = append(st.project.Sites, accounts.SiteSummary{Name: strings.Repeat("<", 255), URL: strings.Repeat("&", 2000), State: sett.SiteUp})
		st.fault.Tags = append(st.fault.Tags, strings.Repeat("<", 255))
	}
	st.notice.ApplicationTrace = st.notice.Backtrace
	m, err := st.message()
	s.must(err)
	if len(m.Body) > mostPayload {
		t.Errorf("%d bytes", len(m.Body))
	}
	s.checkSchema(m)
	whole, err := json.Marshal(st.payload("x"))
	s.must(err)
	smallest, err := shorten(whole, 1)
	s.must(err)
	if len(smallest) > mostPayload {
		t.Errorf("the last sizeBudget leaves %d bytes", len(smallest))
	}
	for _, most := range []int{100_000, 1 << 20} {
		short, err := shorten(whole, most)
		s.must(err)
		if len(short) > max(most, len(smallest)) {
			t.Errorf("%d bytes of %d", len(short), most)
		}
		m.Body = short
		s.checkSchema(m)
	}
}

func TestSmallPayloadsStayWhole(t *testing.T) {
	t.Parallel()
	body := []byte(`{"b":1,"a":["x"]}`)
	if got, err := shorten(body, len(body)); err != nil || !bytes.Equal(got, body) {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := shorten([]byte("[]"), 1); err == nil {
		t.Error("a payload that is no object was taken")
	}
}
