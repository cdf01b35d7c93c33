package web

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
)

// sent returns an export as a file.
func sent(t *testing.T, e Export, asJSON bool) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	p := &Pages{Options: Options{Log: slog.New(slog.DiscardHandler)}}
	if err := p.send(w, httptest.NewRequestWithContext(t.Context(), "GET", "/x", nil), e, asJSON); err != nil {
		t.Fatal(err)
	}
	return w
}

// once is a list of one page.
func once(rows ...[]any) func(sett.Page) ([][]any, string, error) {
	return func(sett.Page) ([][]any, string, error) { return rows, "", nil }
}

// What a spreadsheet would compute is a text; numbers stay numbers.
func TestFormulasAreTexts(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 18, 13, 0, 0, 0, time.FixedZone("x", 3600))
	e := Export{Name: "errors", Columns: []string{"class", "n"}, Read: once(
		[]any{"=1+1", "+1"}, []any{"@x", "-1"}, []any{"\tx", "a=b"}, []any{"a,b", ""}, []any{" =1", "＝1"}, []any{" - ", "\n=1"}, []any{"\u3000@x", " x"},
		[]any{int64(-1), 0.5}, []any{at, time.Time{}}, []any{nil, true}, []any{[]string{"-a", "b"}, []string(nil)},
	)}
	w := sent(t, e, false)
	want := "class,n\n'=1+1,'+1\n'@x,'-1\n'\tx,a=b\n\"a,b\",\n' =1,'＝1\n' - ,\"'\n=1\"\n'\u3000@x,\" x\"\n-1,0.5\n2026-11-18T12:00:00Z,\n,true\n'-a b,\n"
	if w.Body.String() != want {
		t.Errorf("%q, want %q", w.Body, want)
	}
	for name, want := range map[string]string{"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": `attachment; filename="errors.csv"`, "Cache-Control": "no-store"} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	var list struct{ Results []map[string]any }
	w = sent(t, e, true)
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || len(list.Results) != 11 {
		t.Fatalf("%v: %s", err, w.Body)
	}
	if r := list.Results; r[0]["class"] != "=1+1" || r[7]["class"] != -1.0 || r[8]["class"] != "2026-11-18T12:00:00Z" || r[8]["n"] != nil || r[9]["n"] != true {
		t.Errorf("%+v", r)
	}
	if got := w.Header().Get("Content-Disposition"); got != `attachment; filename="errors.json"` {
		t.Error(got)
	}
}

// A file is read page by page, ends after so many rows, and says so.
func TestLongListsAreCut(t *testing.T) {
	t.Parallel()
	reads := 0
	e := Export{Name: "x", Columns: []string{"a", "b"}, Size: 3000, Read: func(p sett.Page) (rows [][]any, next string, err error) {
		if reads++; p.Size != 3000 || (reads == 1) != (p.Mark == "") {
			t.Errorf("page %d is %+v", reads, p)
		}
		for range p.Size {
			rows = append(rows, []any{"x", int64(reads)})
		}
		return rows, "more", nil
	}}
	lines := strings.Split(strings.TrimSpace(sent(t, e, false).Body.String()), "\n")
	if len(lines) != mostExported+2 || !strings.HasPrefix(lines[mostExported+1], "This file ends after 20000 rows.") || reads != 7 {
		t.Errorf("%d lines after %d reads, the last is %q", len(lines), reads, lines[len(lines)-1])
	}
	reads = 0
	var list struct {
		Results []map[string]any
		Note    string
	}
	if err := json.Unmarshal(sent(t, e, true).Body.Bytes(), &list); err != nil || len(list.Results) != mostExported || list.Note == "" {
		t.Errorf("%v: %d rows, %q", err, len(list.Results), list.Note)
	}
}

// What goes wrong before the first row is an error of the request, and later a note in the file.
// Columns may have names that clients sent.
func TestColumnsOfExportsAreNoFormulas(t *testing.T) {
	t.Parallel()
	e := Export{Name: "x", Columns: []string{"=a", "\"b\U000e0001"}, Note: "It ends.", Read: func(sett.Page) ([][]any, string, error) {
		return [][]any{{json.RawMessage("-1"), json.RawMessage(`[12345678901234567890]`)}}, "", nil
	}}
	if got, want := sent(t, e, false).Body.String(), "'=a,\"\"\"b\U000e0001\"\n-1,[12345678901234567890]\nIt ends.,\n"; got != want {
		t.Errorf("CSV is %q, want %q", got, want)
	}
	if got, want := sent(t, e, true).Body.String(), "{\"results\":[\n{\"=a\":-1,\"\\\"b\U000e0001\":[12345678901234567890]}\n],\"note\":\"It ends.\"}\n"; got != want {
		t.Errorf("JSON is %q, want %q", got, want)
	}
}

func TestExportsThatFail(t *testing.T) {
	t.Parallel()
	p := &Pages{Options: Options{Log: slog.New(slog.DiscardHandler)}}
	refused := sett.Errorf(sett.Invalid, "No.")
	w := httptest.NewRecorder()
	err := p.send(w, httptest.NewRequestWithContext(t.Context(), "GET", "/x", nil), Export{Read: func(sett.Page) ([][]any, string, error) { return nil, "", refused }}, false)
	if !errors.Is(err, refused) || w.Body.Len() > 0 {
		t.Errorf("%v, %q", err, w.Body)
	}
	e := Export{Columns: []string{"a"}, Read: func(p sett.Page) ([][]any, string, error) {
		if p.Mark == "" {
			return [][]any{{"x"}}, "more", nil
		}
		return nil, "", errors.New("secret internals")
	}}
	if got := sent(t, e, false).Body.String(); !strings.HasPrefix(got, "a\nx\n") || !strings.Contains(got, "This file is incomplete") || strings.Contains(got, "secret") {
		t.Errorf("%q", got)
	}
	var list struct{ Note string }
	if err := json.Unmarshal(sent(t, e, true).Body.Bytes(), &list); err != nil || !strings.Contains(list.Note, "incomplete") {
		t.Errorf("%v, %q", err, list.Note)
	}
}
