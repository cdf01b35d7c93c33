package ingest

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/unicode"

	"sett/internal/ingest/repair"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/setttest/recording"
	"sett/internal/store/searchdb"
)

// oddities are bodies of which one thing is odd, as changes of one that is as it should be; that contains "shape" as the message of an error, and
// "Odd" as its class.
var oddities = []struct {
	name, contentType, encoding string
	of                          func(t *testing.T, body string) []byte
	note                        string
}{
	{"NaN", "", "", replaced(`"odd":1`, `"odd":NaN`), repair.NotFinite},
	{"-Infinity", "", "", replaced(`"odd":1`, `"odd":[-Infinity]`), repair.NotFinite},
	{"no UTF-8", "", "", replaced("shape", "shape caf\xe9"), repair.NotUTF8},
	{"latin-1", "application/json; charset=iso-8859-1", "", replaced("shape", "shape caf\xe9"), "windows-1252"},
	{"control characters", "", "", replaced("shape", "shape\nand\tmore"), repair.Control},
	{"comma", "", "", replaced(`"odd":1`, `"odd":1,`), repair.Malformed},
	{"wrong escape", "", "", replaced("shape", `shape \x41`), repair.Malformed},
	{"deep", "", "", replaced(`"odd":1`, `"odd":`+strings.Repeat(`{"a":`, 80)+"1"+strings.Repeat("}", 80)), repair.Deep},
	{"said to be gzip", "", "gzip", replaced("", ""), repair.NotCompressed},
	{"said to be br", "", "br", replaced("", ""), repair.NotCompressed},
	{"said to be nonsense", "", "utf-8", replaced("", ""), repair.NotCompressed},
	{"gzip without its end", "", "gzip", func(t *testing.T, body string) []byte {
		packed := recording.Compressed(t, "gzip", []byte(body))
		return packed[:len(packed)-6]
	}, repair.CutCompressed},
}

func replaced(old, now string) func(*testing.T, string) []byte {
	return func(_ *testing.T, body string) []byte { return []byte(strings.ReplaceAll(body, old, now)) }
}

// One odd value costs no error, in no protocol, and the event says what was repaired.
func TestOddBodiesAreStored(t *testing.T) {
	t.Parallel()
	event := `{"exception":{"values":[{"type":"Odd","value":"shape"}]},"extra":{"odd":1}}`
	for _, c := range []struct{ path, body string }{
		{"/v1/notices", `{"error":{"class":"Odd","message":"shape"},"request":{"context":{"odd":1}}}`},
		{"/api/42/store/", event},
		{"/api/42/envelope/", "{}\n{\"type\":\"event\"}\n" + event + "\n"},
		{"/api/v3/projects/42/notices", `{"errors":[{"type":"Odd","message":"shape"}],"params":{"odd":1}}`},
		{"/v1/logs", `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"odd":1,"attributes":[{"key":"exception.type","value":{"stringValue":"Odd"}},{"key":"exception.message","value":{"stringValue":"shape"}}]}]}]}]}`},
	} {
		t.Run(c.path, func(t *testing.T) {
			t.Parallel()
			o := setup(t, accounts.Limits{})
			for _, odd := range oddities {
				if strings.HasSuffix(c.path, "/envelope/") && odd.name == "control characters" {
					continue // an end of a line ends the item
				}
				o.sendOdd(t, c.path, odd.of(t, c.body), odd.contentType, odd.encoding)
				o.wantOdd(t, odd.name, odd.note)
				o.push(time.Minute)
			}
		})
	}
}

func (o *office) sendOdd(t *testing.T, path string, body []byte, contentType, encoding string) {
	t.Helper()
	if contentType == "" {
		contentType = "application/json"
	}
	path = strings.ReplaceAll(o.dsn(path), "/projects/42/", fmt.Sprintf("/projects/%d/", o.setup.ProjectID))
	w := o.post(t, path, bytes.NewReader(body), map[string]string{"Content-Type": contentType, "Content-Encoding": encoding, "X-Sentry-Auth": "Sentry sentry_key=" + o.setup.APIKey})
	if w.Code != http.StatusOK && w.Code != http.StatusCreated {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// wantOdd checks that the newest notice of the project is the odd one, with a note.
func (o *office) wantOdd(t *testing.T, name, note string) {
	t.Helper()
	found, _, err := o.store.Search.ListFaults(t.Context(), o.now, o.setup.ProjectID, searchdb.Filter{}, searchdb.Page{Page: sett.Page{Size: 100}})
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: no error, %v", name, err)
	}
	var n faults.Notice
	for _, f := range found {
		newest, err := o.store.Faults.NewestNotice(t.Context(), o.setup.ProjectID, f.ID)
		if err != nil || newest == nil {
			t.Fatalf("%s: no event, %v", name, err)
		}
		if newest.CreatedAt().After(n.CreatedAt()) {
			n = *newest
		}
	}
	if !strings.HasPrefix(n.Message, "shape") || n.Class != "Odd" || !strings.Contains(strings.Join(n.Repairs, " "), note) {
		t.Errorf("%s: %s: %.60q, repairs %q, want %q", name, n.Class, n.Message, n.Repairs, note)
	}
}

// What comes before an envelope, and how long its items are said to be, costs no error.
func TestOddEnvelopes(t *testing.T) {
	t.Parallel()
	utf16 := func(text string) string {
		out, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	const event = `{"exception":{"values":[null,{"type":"Odd","value":"shape"},null]}}`
	plain := "{}\n{\"type\":\"event\"}\n" + event + "\n"
	large := "{\"type\":\"attachment\",\"length\":9000000}\n" + strings.Repeat("x", 9_000_000) + "\n"
	for name, c := range map[string]struct{ body, note string }{
		"null among the exceptions":   {plain, "exception.values"},
		"a mark":                      {"\uFEFF" + plain, repair.Mark},
		"blank lines":                 {"\n\r\n" + plain, repair.Blank},
		"UTF-16":                      {utf16(plain), "UTF-16"},
		"an event that is cut off":    {strings.TrimSuffix(plain, ",null]}}\n"), repair.Cut},
		"a length that is too short":  {"{}\n{\"type\":\"event\",\"length\":10}\n" + event + "\n", "length"},
		"a mark before a large one":   {"\uFEFF\n" + plain + large, "exception.values"},
		"a length that is far beyond": {"{}\n{\"type\":\"event\",\"length\":1000000}\n" + event + "\n", "exception.values"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := setup(t, accounts.Limits{})
			o.sendOdd(t, "/api/42/envelope/", []byte(c.body), "", "")
			o.wantOdd(t, name, c.note)
		})
	}
	for _, encoding := range []string{"gzip", "deflate", "br", "zstd"} { // an envelope that is read as a stream, whose attachment is cut off
		o := setup(t, accounts.Limits{})
		packed := recording.Compressed(t, encoding, []byte(plain+"{\"type\":\"attachment\",\"length\":9000000}\n"+string(noise(9_000_000))))
		if len(packed) < maxEnvelopeSent {
			t.Fatalf("%s has only %d bytes", encoding, len(packed))
		}
		o.sendOdd(t, "/api/42/envelope/", packed[:len(packed)-1_000_000], "", encoding)
		o.wantOdd(t, encoding, repair.CutCompressed)
	}
	o := setup(t, accounts.Limits{})
	o.sendOdd(t, "/api/42/store/", []byte(utf16(event)), "application/json; charset=utf-16", "")
	o.wantOdd(t, "UTF-16", "UTF-16")
	o = setup(t, accounts.Limits{})
	o.sendOdd(t, "/v1/notices", []byte(utf16(`{"api_key":"`+o.setup.APIKey+`","error":{"class":"Odd","message":"shape `+strings.Repeat("x", 150<<10)+`"}}`)), "", "")
	o.wantOdd(t, "UTF-16", "UTF-16")
}

// Structured events, reports of jobs and deploys are read as far as possible too.
func TestOddBodiesOfOthers(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	o.sendOdd(t, "/v1/events", []byte("\uFEFF{\"a\":NaN}\n{\"a\":\"caf\xe9\"}\n"), "", "gzip")
	o.sendOdd(t, "/v1/events", []byte("[{\"a\":1,},\n{\"b\":None}]"), "", "")
	o.sendOdd(t, "/api/42/envelope/", []byte("{}\n{\"type\":\"log\",\"item_count\":1}\n{\"items\":[{\"body\":\"x\",\"attributes\":{\"a\":{\"value\":NaN}}}]}\n"), "", "")
	all := strings.Join(o.eventLines(t), "\n")
	for _, want := range []string{`a="NaN" sett.repairs="` + repair.NotFinite + " " + repair.Mark, `a="caf�" sett.repairs="` + repair.Mark + " " + repair.NotUTF8, `a=1 sett.repairs="` + repair.Malformed, `a="NaN" message="x" sett.repairs=`, repair.NotCompressed} {
		if !strings.Contains(all, want) {
			t.Errorf("no event has %s:\n%s", want, all)
		}
	}
	c := o.checkIn(t, "nightly")
	o.ping(t, http.MethodPost, "/v1/check_in/"+c.ID, strings.NewReader(`{"check_in":{"status":"error","duration":NaN,}}`))
	if _, payloads := o.again(t, c); len(payloads) == 0 || payloads[0] == nil || payloads[0].Status != "error" {
		t.Errorf("the job that failed is read as %+v", payloads)
	}
	o.sendOdd(t, "/v1/deploys", []byte("\uFEFF{'deploy':{\"environment\":\"caf\xe9\",\"revision\":\"r1\"}}"), "", "")
	if deploys := o.deploys(t); len(deploys) != 1 || deploys[0].Environment != "caf�" || deploys[0].Revision != "r1" {
		t.Errorf("deploys are %+v", deploys)
	}
	o.sendSentry(t, "/envelope/", checkInEnvelope(`{"monitor_slug":"weekly","status":"ok","duration":NaN,"monitor_config":{"schedule":{"type":"interval","value":1,"unit":"day"}}}`), nil)
	if all := o.checkIns(t); !slices.ContainsFunc(all, func(line string) bool { return strings.Contains(line, "weekly") }) {
		t.Errorf("check-ins are %q", all)
	}
}

// Counts that clients send are read as far as possible too. They carry no notes.
func TestOddCounts(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	o.sendOdd(t, "/api/42/envelope/", []byte("{}\n{\"type\":\"client_report\"}\n{\"timestamp\":NaN,\"discarded_events\":[{\"reason\":\"sample_rate\",\"category\":\"error\",\"quantity\":3},]}\n"), "", "")
	o.sendOdd(t, "/api/42/envelope/", []byte("{}\n{\"type\":\"client_report\"}\n{\"discarded_events\":[{\"reason\":\"sample_rate\",\"category\":\"error\",\"quantity\":2}"), "", "")
	o.wantDiscards(t, "client error sample_rate 5")
	o.sendOdd(t, "/api/42/envelope/", []byte("{}\n{\"type\":\"session\"}\n{\"status\":\"crashed\",\"duration\":NaN,\"attrs\":{\"release\":\"1.0\"},}\n"), "", "")
	o.sendOdd(t, "/api/42/envelope/", []byte("{}\n{\"type\":\"sessions\"}\n{\"aggregates\":[{\"started\":\"2026-11-20T11:59:00Z\",\"exited\":4,\"x\":Infinity}],\"attrs\":{\"release\":\"1.0\"}}\n"), "", "")
	var sum release.SessionSums
	for _, sums := range o.sessions.saved(t) {
		sum.Total, sum.Crashed = sum.Total+sums.Total, sum.Crashed+sums.Crashed
	}
	if sum.Total != 5 || sum.Crashed != 1 {
		t.Errorf("the sessions are %+v", sum)
	}
	o.sendOdd(t, "/api/42/envelope/", []byte("{}\n{\"type\":\"session\"}\n{\n{\"type\":\"sessions\"}\n[\n"), "", "")
	o.wantDiscards(t, "server session unreadable 2")
}

// What has no content is refused as before, with the error of the strict reader.
func TestNothingReadable(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	for _, c := range []struct {
		path, body string
		says       string
	}{
		{"/v1/notices", `{"error":{`, "truncated after 10 bytes"},
		{"/v1/notices", `{"error":{}} x`, "at byte 14"},
		{"/v1/notices", `{"a":NaN}`, "at byte 6"},
		{"/v1/notices", "\xff\xfe", "UTF-8"},
		{"/api/42/store/", `{"event_id":`, "truncated"},
		{"/api/42/store/", `{"exception":{"values":[`, "truncated"},
		{"/v1/logs", `{"resourceLogs":[`, "truncated"},
		{"/v1/events", "{\n", "truncated"},
		{"/api/v3/projects/42/notices", `{"errors":[`, "truncated"},
	} {
		path := strings.ReplaceAll(o.dsn(c.path), "/projects/42/", fmt.Sprintf("/projects/%d/", o.setup.ProjectID))
		w := o.post(t, path, strings.NewReader(c.body), map[string]string{"Content-Type": "application/json", "X-Sentry-Auth": "Sentry sentry_key=" + o.setup.APIKey})
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%s %q: %d %s, want %q", c.path, c.body, w.Code, w.Body, c.says)
		}
	}
	o.wantToday(t, accounts.UsageDay{Invalid: 8}) // and an event of /v1/events
}
