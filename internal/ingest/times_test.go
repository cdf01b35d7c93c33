package ingest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/insight"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
)

// Each protocol reads a time in each form.
func TestTimesOfClients(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	const forms = 11
	said := o.now.Add(-time.Hour)
	for n, text := range []string{
		fmt.Sprint(said.Unix()), fmt.Sprint(said.UnixMilli()), fmt.Sprint(said.UnixMicro()), fmt.Sprint(said.UnixNano()), fmt.Sprintf(`"%d"`, said.UnixMilli()),
		said.Format(`"2006-01-02t15:04:05z"`), said.Format(`"2006-01-02 15:04:05.000"`), said.Format(`"2006-01-02T15:04:05+0000"`), said.Format(`"2006-01-02 15:04:05 -0700"`), said.Format(`"2006-01-02 15:04:05 UTC"`), said.Format(`"` + time.RFC1123 + `"`),
	} {
		id := fmt.Sprintf("%032x", n+1)
		o.sendEnvelope(t, envelopeWith(id, item(`{"type":"event"}`, fmt.Appendf(nil, `{"event_id":%q,"timestamp":%s,"exception":{"values":[{"type":"A"}]}}`, id, text))))
		span := fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":%q,"spanId":"0102030405060708","name":"a","events":[{"name":"exception","timeUnixNano":%s,"attributes":[{"key":"exception.type","value":{"stringValue":"B"}}]}]}]}]}]}`, id, text)
		if w := o.export(t, "/v1/traces", []byte(span), map[string]string{"Content-Type": "application/json"}); w.Code != http.StatusOK {
			t.Fatalf("OTLP: %d %s", w.Code, w.Body)
		}
		if w := o.post(t, "/v1/deploys", strings.NewReader(fmt.Sprintf(`{"deploy":{"revision":"%d","timestamp":%s}}`, n, text)), nil); w.Code != http.StatusCreated {
			t.Errorf("%s: a deploy is answered %d %s", text, w.Code, w.Body)
		}
		if w := o.post(t, "/v1/events", strings.NewReader(fmt.Sprintf(`{"ts":%s,"n":%d}`, text, n)), nil); w.Code/100 != 2 {
			t.Errorf("%s: an event is answered %d %s", text, w.Code, w.Body)
		}
		if got := o.deploys(t)[0].CreatedAt; !got.Equal(said) {
			t.Errorf("%s: the deploy was at %v", text, got)
		}
	}
	if err := o.store.Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	faults, _, err := o.store.Search.ListFaults(t.Context(), o.now, o.setup.ProjectID, searchdb.Filter{}, searchdb.Page{Page: sett.Page{Size: 10}})
	if err != nil || len(faults) != 2 {
		t.Fatalf("%d errors, %v", len(faults), err)
	}
	for _, f := range faults {
		notices, _, err := o.store.Faults.ListNotices(t.Context(), o.setup.ProjectID, f.ID, faultdb.NoticePage{Page: sett.Page{Size: 25}})
		if err != nil || len(notices) != forms {
			t.Errorf("%s has %d events, %v", f.Class, len(notices), err)
		}
		for _, n := range notices {
			if at, late := n.OccurredAt(); !late || !at.Equal(said) {
				t.Errorf("%s happened at %v, %q", n.Class, at, n.Payload.Environment.Time)
			}
		}
	}
	events := o.storedEvents(t).Events
	for _, e := range events {
		if e.At != insight.Micros(said) {
			t.Errorf("the structured event %v is of %v", e.Fields, time.UnixMicro(e.At))
		}
	}
	if len(events) != forms {
		t.Errorf("%d structured events", len(events))
	}
}
