package ingest

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/ingest/sentry"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/setttest/recording"
)

const oneEventID = "58ad5c2404474ae6b0a2439d0d65462c"

// attached returns the files of a notice, as name, type, size and beginning.
func (o *office) attached(t *testing.T, notice string) (files []string) {
	t.Helper()
	id, err := sett.ParseUUID(sentry.ID(notice))
	if err != nil {
		t.Fatal(err)
	}
	n, err := o.store.Faults.NoticeByUUID(t.Context(), o.setup.ProjectID, id)
	if err != nil {
		t.Fatal(err)
	}
	all, err := o.store.Attachments.List(t.Context(), o.setup.ProjectID, n.Key)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		_, body, err := o.store.Attachments.File(t.Context(), o.setup.ProjectID, n.Key, a.ID)
		if err != nil || int64(len(body)) != a.Bytes {
			t.Errorf("%s: %d of %d bytes, %v", a.Name, len(body), a.Bytes, err)
		}
		files = append(files, fmt.Sprintf("%s %s %d %.20q", a.Name, a.Type, a.Bytes, body))
	}
	return files
}

// wantDiscards checks what is counted as not stored, since the last call.
func (o *office) wantDiscards(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	_ = o.discards.Save(func(all []stats.Discard) error {
		for _, d := range all {
			if d.ProjectID != o.setup.ProjectID || d.Day != accounts.Day(o.now) {
				t.Errorf("%+v is of another project or day", d)
			}
			got = append(got, fmt.Sprint(d.Source, " ", d.Category, " ", d.Reason, " ", d.Count))
		}
		return nil
	})
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("not stored (-want +got):\n%s", diff)
	}
}

// item returns an item of an envelope.
func item(header string, payload []byte) string {
	return fmt.Sprintf("%s,\"length\":%d}\n%s\n", strings.TrimSuffix(header, "}"), len(payload), payload)
}

func envelopeOf(items ...string) string {
	return `{"event_id":"` + oneEventID + `"}` + "\n" + strings.Join(items, "")
}

// Attachments of released clients are stored with their event, once, however often they are sent.
func TestRecordedAttachments(t *testing.T) {
	t.Parallel()
	const log, dump = `app.log text/plain 12 "`, `dump.bin application/octet-stream 256 "`
	for client, want := range map[string][]string{
		"sentry-python/attachment": {log, dump}, "sentry-node/attachment": {log, dump}, "sentry-java/attachment": {log},
	} {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			o := setup(t, accounts.Limits{})
			var id string
			for range 2 {
				for _, c := range recording.Captures(t, client) {
					w := o.replay(t, c)
					if w.Code != http.StatusOK {
						t.Errorf("%s: %d %s", c.Name, w.Code, w.Body)
					}
					if limits := w.Header().Get("X-Sentry-Rate-Limits"); strings.Contains(limits, "attachment") {
						t.Errorf("%s: limits %q", c.Name, limits)
					}
					if _, rest, ok := strings.Cut(w.Body.String(), `"id":"`); ok {
						id = rest[:32]
					}
				}
			}
			if files := o.attached(t, id); !slices.EqualFunc(files, want, strings.HasPrefix) {
				t.Errorf("the event has %q, want %q", files, want)
			}
		})
	}
}

// Attachments come before their event, after it in an envelope of their own, and of no event.
func TestAttachmentsFindTheirEvent(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	first := item(`{"type":"attachment","filename":"../first.log","content_type":"text/plain"}`, []byte("token=hunter22 card 4111 1111 1111 1111"))
	event := "{\"type\":\"event\"}\n" + oneEvent + "\n"
	if w := o.sendSentry(t, "/envelope/", envelopeOf(first, event), nil); w.Code != 200 {
		t.Fatal(w.Code, w.Body)
	}
	second := item(`{"type":"attachment","filename":"shot","content_type":"text/html"}`, []byte("\x89PNG\x0d\x0a\x1a\x0a\x00"))
	for range 2 {
		if w := o.sendSentry(t, "/envelope/", envelopeOf(second), nil); w.Code != 200 {
			t.Fatal(w.Code, w.Body)
		}
	}
	want := []string{`first.log text/plain 32 "token=[FILTERED] car"`, `shot image/png 9 "\x89PNG\r\n\x1a\n\x00"`}
	if diff := cmp.Diff(want, o.attached(t, oneEventID)); diff != "" {
		t.Errorf("attachments (-want +got):\n%s", diff)
	}
	dump := item(`{"type":"attachment","filename":"dump","attachment_type":"event.minidump"}`, []byte("MDMP"))
	if w := o.sendSentry(t, "/envelope/", envelopeOf(dump), nil); w.Code != 200 {
		t.Fatal(w.Code, w.Body)
	}
	other := strings.ReplaceAll(envelopeOf(second), oneEventID, strings.Repeat("ab", 16))
	if w := o.sendSentry(t, "/envelope/", other, nil); w.Code != 200 || w.Header().Get("X-Sentry-Rate-Limits") != "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if w := o.sendSentry(t, "/envelope/", "{}\n"+second, nil); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if got := o.attached(t, oneEventID); len(got) != 2 {
		t.Errorf("the event has %q", got)
	}
	o.wantDiscards(t, "server attachment no_event 2", "server attachment unsupported 1")
}

// An event may have 1 MiB of attachments, and is stored without those beyond; the client is asked to send none for a while.
func TestLargeAttachments(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	noise := make([]byte, faults.MostAttachmentBytes-100)
	_, _ = rand.Read(noise)
	event := "{\"type\":\"event\"}\n" + oneEvent + "\n"
	large := item(`{"type":"attachment","filename":"large"}`, noise)
	small := item(`{"type":"attachment","filename":"small"}`, bytes.Repeat([]byte("x"), 100))
	tooMuch := item(`{"type":"attachment","filename":"much"}`, bytes.Repeat([]byte("x"), 101))
	w := o.sendSentry(t, "/envelope/", envelopeOf(event, large, tooMuch, small), nil)
	if limits := w.Header().Get("X-Sentry-Rate-Limits"); w.Code != 200 || limits != "60:attachment:project:quota" {
		t.Errorf("%d %s, limits %q", w.Code, w.Body, limits)
	}
	if got := o.attached(t, oneEventID); len(got) != 2 || !strings.HasPrefix(got[1], "small application/octet-stream 100") {
		t.Errorf("the event has %.80q", got)
	}
	if w = o.sendSentry(t, "/envelope/", envelopeOf(item(`{"type":"attachment","filename":"more"}`, []byte("x"))), nil); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	o.wantDiscards(t, "server attachment too_large 2")
	o.wantStored(t, 1)

	o.store.Attachments.MostBytes = 1 << 20
	w = o.sendSentry(t, "/envelope/", envelopeOf(small), nil)
	if limits := w.Header().Get("X-Sentry-Rate-Limits"); w.Code != 200 || limits != "3600:attachment:project:quota" {
		t.Errorf("%d %s, limits %q", w.Code, w.Body, limits)
	}
	o.wantDiscards(t, "server attachment full 1")

	o.store.Attachments.MostBytes = 0
	w = o.sendSentry(t, "/envelope/", envelopeOf(small), nil)
	if limits := w.Header().Get("X-Sentry-Rate-Limits"); w.Code != 200 || limits != "3600:attachment:project:unsupported" {
		t.Errorf("%d %s, limits %q", w.Code, w.Body, limits)
	}
	o.wantDiscards(t, "server attachment unsupported 1")
}

// What clients report that they discarded is counted under known names, also while the project has reached its limit.
func TestClientReports(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{ProjectThrottle: 1})
	o.sendSentry(t, "/store/", strings.Replace(oneEvent, "58ad", "0000", 1), nil)
	const report = `{"type":"client_report"}` + "\n" + `{"timestamp":1,"discarded_events":[{"reason":"ratelimit_backoff","category":"error","quantity":3},` +
		`{"reason":"sample_rate","category":"transaction","quantity":2},{"reason":"made up","category":"<b>","quantity":1},{"reason":"sample_rate","category":"transaction","quantity":"5"},` +
		`{"reason":"sample_rate","category":"span","quantity":9e18},{"reason":"sample_rate","category":"error","quantity":-4},7]}` + "\n"
	if w := o.sendSentry(t, "/envelope/", "{}\n"+report, nil); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	o.wantDiscards(t, "client error ratelimit_backoff 3", "client other other 1", "client transaction sample_rate 7")
	w := o.sendSentry(t, "/envelope/", "{}\n"+report+"{\"type\":\"event\"}\n"+oneEvent+"\n", nil)
	if w.Code != http.StatusTooManyRequests {
		t.Errorf("with an event over the limit: %d %s", w.Code, w.Body)
	}
	o.wantDiscards(t, "client error ratelimit_backoff 3", "client other other 1", "client transaction sample_rate 7", "server error limited 1")
	for _, broken := range []string{"[]", "7", `{"discarded_events":{}}`, `{"discarded_events":[`} {
		if w := o.sendSentry(t, "/envelope/", "{}\n{\"type\":\"client_report\"}\n"+broken+"\n", nil); w.Code != 200 {
			t.Errorf("%s: %d %s", broken, w.Code, w.Body)
		}
	}
	o.wantDiscards(t)
}
