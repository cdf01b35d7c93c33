package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
	"sett/internal/setttest"
)

const envelopeWithFile = `{"event_id":"58ad5c2404474ae6b0a2439d0d65462c"}
{"type":"event"}
{"event_id":"58ad5c2404474ae6b0a2439d0d65462c","exception":{"values":[{"type":"PaymentError","value":"refused"}]}}
{"type":"attachment","filename":"../page.html","content_type":"text/html","length":25}
<script>alert(1)</script>
{"type":"client_report"}
{"discarded_events":[{"reason":"sample_rate","category":"transaction","quantity":7}]}
{"type":"profile"}
{}
`

// sendEnvelope sends an envelope as a Sentry SDK does.
func sendEnvelope(t *testing.T, s *setttest.Server, body string) {
	t.Helper()
	path := s.App.BaseURL() + fmt.Sprintf("/api/%d/envelope/?sentry_key=%s", s.Setup.ProjectID, s.Setup.APIKey)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if limits := answer.Header.Get("X-Sentry-Rate-Limits"); answer.StatusCode != 200 || strings.Contains(limits, "attachment") {
		t.Errorf("%d, limits %q", answer.StatusCode, limits)
	}
}

func TestAttachments(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		sendEnvelope(t, s, envelopeWithFile)
		f := listFaults(s, "").Results[0]
		notice := faultsPath(s, fmt.Sprintf("/%d/notices/58ad5c24-0447-4ae6-b0a2-439d0d65462c/attachments", f.ID))
		var list api.Attachments
		s.Get(notice).Into(&list)
		if len(list.Attachments) != 1 {
			t.Fatalf("%+v", list)
		}
		a := list.Attachments[0]
		if diff := cmp.Diff(api.Attachment{ID: a.ID, Name: "page.html", ContentType: "text/plain", Size: 25}, a); diff != "" {
			t.Errorf("attachment (-want +got):\n%s", diff)
		}
		path := fmt.Sprintf("%s/%d", notice, a.ID)
		got := s.Do("GET", path, "").Want(http.StatusOK)
		if string(got.Body) != "<script>alert(1)</script>" || got.Header.Get("Content-Type") != "application/octet-stream" || got.Header.Get("Content-Disposition") != "attachment; filename=page.html" {
			t.Errorf("%q %v", got.Body, got.Header)
		}
		other, _ := s.AddUser(t, "other@example.test", accounts.Member)
		for _, path := range []string{notice, path} {
			other.Do("GET", path, "").Want(http.StatusNotFound)
			s.AddStranger(t, "stranger"+fmt.Sprint(len(path))+"@example.test").Do("GET", path, "").Want(http.StatusNotFound)
		}
		for _, wrong := range []string{
			path + "0", faultsPath(s, "/1/notices/x/attachments"), faultsPath(s, fmt.Sprintf("/%d/notices/58ad5c24-0447-4ae6-b0a2-439d0d65462c/attachments/%d", f.ID+1, a.ID)),
			faultsPath(s, fmt.Sprintf("/%d/notices/58ad5c24-0447-4ae6-b0a2-439d0d65462d/attachments", f.ID)),
		} {
			s.Do("GET", wrong, "").Want(http.StatusNotFound)
		}
	})
}

func TestDiscarded(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		day := accounts.Day(s.Clock.Now())
		err := s.App.Store().Intake.AddDiscards(t.Context(), []stats.Discard{
			{ProjectID: s.Setup.ProjectID, Day: day, Source: stats.ByClient, Category: "transaction", Reason: "sample_rate", Count: 7},
			{ProjectID: s.Setup.ProjectID, Day: day, Source: stats.ByServer, Category: "profile", Reason: stats.DroppedUnsupported, Count: 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []api.Discard{{Source: "client", Category: "transaction", Reason: "sample_rate", Count: 7}, {Source: "server", Category: "profile", Reason: "unsupported", Count: 1}}
		var account api.AccountDetail
		s.Get("/v2/accounts/" + s.Setup.AccountID).Into(&account)
		if diff := cmp.Diff(want, account.Discarded); diff != "" {
			t.Errorf("of the account (-want +got):\n%s", diff)
		}
		var project api.ProjectDiscards
		s.Get(projectPath(s.Setup.ProjectID, "/discarded")).Into(&project)
		text := day.Format("2006-01-02")
		if diff := cmp.Diff([]api.DayDiscard{{Day: text, Discard: want[0]}, {Day: text, Discard: want[1]}}, project.Discarded); diff != "" {
			t.Errorf("of the project (-want +got):\n%s", diff)
		}
	})
}
