package forward_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/forward"
)

func change(address, key string) forward.ForwardingChange {
	return forward.ForwardingChange{Address: sett.Some(address), Key: sett.Some(key)}
}

func TestTargetsAreReadAsUsersCopyThem(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		address, key string
		want         forward.Target
	}{
		{"https://abc@o1.ingest.sentry.io/42", "", forward.Target{Service: forward.Sentry, Base: "https://o1.ingest.sentry.io", Project: "42", Key: "abc"}},
		{" https://abc:secret@sentry.example.org:9000/prefix/42/ ", "", forward.Target{Service: forward.Sentry, Base: "https://sentry.example.org:9000/prefix", Project: "42", Key: "abc"}},
		{"", "hbp_1", forward.Target{Service: forward.Honeybadger, Base: forward.HoneybadgerAddress, Key: "hbp_1"}},
		{"https://eu-api.honeybadger.io/", "hbp_1", forward.Target{Service: forward.Honeybadger, Base: "https://eu-api.honeybadger.io", Key: "hbp_1"}},
	} {
		got, end, err := change(c.address, c.key).Read(now)
		if err != nil || got != c.want || !end.Equal(now.AddDate(0, 0, forward.DefaultDays)) {
			t.Errorf("%s: %+v until %s, %v", c.address, got, end, err)
		}
		if back := forward.Stored(got.Text()); back != got {
			t.Errorf("%s is stored as %s, which is %+v", c.address, got.Text(), back)
		}
		if strings.Contains(got.Shown(), got.Key) {
			t.Errorf("%s is shown with its key", got.Shown())
		}
	}
}

func TestTargetsThatCannotBeAreExplained(t *testing.T) {
	for _, c := range []struct{ address, key, want string }{
		{"", "", "address is missing"},
		{"sentry.io", "", "address must be a URL"},
		{"ftp://a@b/1", "", "address must be a URL"},
		{"https://abc@o1.ingest.sentry.io/", "", "address must end in the number"},
		{"https://abc@o1.ingest.sentry.io/42", "more", "key must be left out"},
		{"https://api.honeybadger.io", "", "key is missing"},
		{"", "two words", "key must be the API key"},
		{"https://" + strings.Repeat("a", 600), "k", "address can have"},
	} {
		_, _, err := change(c.address, c.key).Read(time.Now())
		if problems := strings.Join(sett.ProblemsOf(err), "; "); !strings.HasPrefix(problems, c.want) {
			t.Errorf("%q, %q: %q; want %q", c.address, c.key, problems, c.want)
		}
	}
	for _, days := range []int64{0, -1, forward.MostDays + 1} {
		if _, _, err := (forward.ForwardingChange{Key: sett.Some("k"), Days: sett.Some(days)}).Read(time.Now()); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("%d days: %v", days, err)
		}
	}
}

func TestNoKeyOfThisServerLeaves(t *testing.T) {
	sentry := forward.Target{Service: forward.Sentry, Base: "https://o1.ingest.sentry.io", Project: "42", Key: "old"}
	badger := forward.Target{Service: forward.Honeybadger, Base: "https://api.honeybadger.io", Key: "old"}
	for _, c := range []struct {
		to       forward.Target
		r        forward.Report
		url      string
		body     string
		key, val string
	}{
		{
			sentry,
			forward.Report{
				Service: forward.Sentry, Path: "/envelope/", Query: url.Values{"sentry_key": {"here"}, "sentry_version": {"7"}}, Key: "here",
				Body: []byte(`{"dsn":"https://here@sett.example.org/1","event_id":"e"}` + "\n" + `{"type":"event"}` + "\n{}"),
			},
			"https://o1.ingest.sentry.io/api/42/envelope/?sentry_version=7", `{"event_id":"e"}` + "\n" + `{"type":"event"}` + "\n{}", "X-Sentry-Auth", "sentry_key=old",
		},
		{
			sentry,
			forward.Report{Service: forward.Sentry, Path: "/cron/nightly/here/", Key: "here"},
			"https://o1.ingest.sentry.io/api/42/cron/nightly/old/", "", "X-Sentry-Auth", "sentry_key=old",
		},
		{
			badger,
			forward.Report{Service: forward.Honeybadger, Path: "/v1/notices", Key: "here", Body: []byte(`{"api_key":"here","error":{}}`)},
			"https://api.honeybadger.io/v1/notices", `{"api_key":"old","error":{}}`, "X-Api-Key", "old",
		},
		{
			badger,
			forward.Report{Service: forward.Honeybadger, Path: "/v1/check_in/here/nightly", Key: "here"},
			"https://api.honeybadger.io/v1/check_in/old/nightly", "", "X-Api-Key", "old",
		},
	} {
		q, ok := c.to.Request(c.r)
		if !ok || q.URL != c.url || string(q.Body) != c.body || !strings.Contains(q.Header.Get(c.key), c.val) {
			t.Errorf("%s %v %s", q.URL, q.Header, q.Body)
		}
		if strings.Contains(q.URL+string(q.Body), "here") {
			t.Errorf("the key leaves with %s %s", q.URL, q.Body)
		}
	}
	for r, want := range map[*forward.Report]string{
		{Service: forward.Sentry, Path: "/envelope/"}: "gzip", {Service: forward.Honeybadger, Path: "/v1/events"}: "deflate", {Service: forward.Honeybadger, Path: "/v1/check_in/a/b"}: "",
	} {
		to := map[forward.Service]forward.Target{forward.Sentry: sentry, forward.Honeybadger: badger}[r.Service]
		if q, _ := to.Request(*r); q.Encoding != want {
			t.Errorf("%s is compressed as %q, want %q", r.Path, q.Encoding, want)
		}
	}
	if _, ok := badger.Request(forward.Report{Service: forward.Sentry}); ok {
		t.Error("an envelope is sent to a service that cannot read it")
	}
}
