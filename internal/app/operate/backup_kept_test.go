package operate_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/sett"
	"sett/internal/sett/insight"
	"sett/internal/setttest"
	"sett/internal/store"
	"sett/internal/store/faultdb"
)

// sendVisits sends structured events with the numbers from one to another.
func sendVisits(s *setttest.Server, from, to int) {
	var lines strings.Builder
	for n := from; n < to; n++ {
		fmt.Fprintf(&lines, `{"event_type":"visit","n":%d}`+"\n", n)
	}
	s.Do("POST", "/v1/events", lines.String(), "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
}

// sendWithAttachment sends an event with a file, as a Sentry SDK does.
func sendWithAttachment(t *testing.T, s *setttest.Server, file string) {
	t.Helper()
	envelope := fmt.Sprintf("{}\n{\"type\":\"event\"}\n{\"message\":\"no price\"}\n{\"type\":\"attachment\",\"length\":%d,\"filename\":\"basket.txt\"}\n%s\n", len(file), file)
	address := fmt.Sprintf("%s/api/%d/envelope/?sentry_key=%s", s.App.BaseURL(), s.Setup.ProjectID, s.Setup.APIKey)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(envelope))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Body.Close(); answer.StatusCode != http.StatusOK {
		t.Fatalf("the envelope is answered with %d", answer.StatusCode)
	}
}

// A backup has structured events, packed or not, and attachments.
func TestBackupHoldsEventsAndAttachments(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	sendVisits(s, 0, 500)
	packing := store.Purge{Now: func() time.Time { return s.Clock.Now().Add(2 * time.Hour) }, Holder: "test", Rest: func(context.Context, time.Duration) error { return nil }}
	if n, err := s.App.Store().PackInsights(t.Context(), packing); n == 0 || err != nil {
		t.Fatalf("packed in %d steps, %v", n, err)
	}
	sendVisits(s, 500, 510)
	const file = "the basket of the shop"
	sendWithAttachment(t, s, file)

	var whole bytes.Buffer
	must[operate.MadeBackup](t)(operate.Backup(t.Context(), s.Config.Installation(), "-", &whole))
	cfg := s.Config
	cfg.Data, cfg.KeyFile = filepath.Join(t.TempDir(), "data"), filepath.Join(s.Config.Data, "secret.key")
	must[operate.Restored](t)(operate.Restore(t.Context(), cfg.Installation(), "-", &whole))
	a, err := app.New(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Stop(context.Background()) //nolint:errcheck // it is only read

	filter, err := insight.ParseSearch("event_type:visit")
	if err != nil {
		t.Fatal(err)
	}
	found, err := a.Store().Insights.Query(t.Context(), s.Clock.Now(), time.Now().Add(time.Minute), s.Setup.ProjectID, insight.Plan{Filter: filter, To: math.MaxInt64, Rows: 1000})
	if err != nil || found.Unread > 0 {
		t.Fatalf("query events: %v, %d unread", err, found.Unread)
	}
	var got, want []int
	for n := range 510 {
		want = append(want, n)
	}
	for _, e := range found.Events {
		n, _ := e.Get("n")
		got = append(got, int(n.Num))
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	notices, _, err := a.Store().Faults.ListNotices(t.Context(), s.Setup.ProjectID, 1, faultdb.NoticePage{Page: sett.Page{Size: 5}})
	if err != nil || len(notices) != 1 {
		t.Fatalf("notices: %+v, %v", notices, err)
	}
	files, err := a.Store().Attachments.List(t.Context(), s.Setup.ProjectID, notices[0].Key)
	if err != nil || len(files) != 1 || files[0].Name != "basket.txt" {
		t.Fatalf("attachments: %+v, %v", files, err)
	}
	if _, body, err := a.Store().Attachments.File(t.Context(), s.Setup.ProjectID, notices[0].Key, files[0].ID); err != nil || string(body) != file {
		t.Errorf("the attachment is %q, %v", body, err)
	}
}
