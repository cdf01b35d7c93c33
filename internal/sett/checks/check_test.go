package checks

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestReportsAreCleaned(t *testing.T) {
	t.Parallel()
	now := noonOfSites
	honest := CheckReport{Location: London, Result: ProbeResult{
		At: now.Add(-time.Second), Duration: 30 * time.Second, Status: 503, Reason: "Expected 2xx status code -- got 503", Phase: PhaseBody,
		Headers: map[string]string{"server": "nginx"}, Body: []byte("Sorry"), Certificate: &ProbeCertificate{Fingerprint: strings.Repeat("a", 64)},
	}}
	if diff := cmp.Diff(honest, honest.Cleaned(now)); diff != "" {
		t.Errorf("an honest report was changed (-want +got):\n%s", diff)
	}
	got := CheckReport{Result: ProbeResult{
		At: now.Add(time.Hour), Duration: -time.Second, Status: 1000, Reason: "a\x00\xff" + strings.Repeat("ö", 1000),
		Headers: map[string]string{"a\x00": "\xff"}, Body: make([]byte, 5000), Certificate: &ProbeCertificate{
			Fingerprint: strings.Repeat("a", 500), NotAfter: time.Date(9999, 12, 31, 23, 0, 0, 0, time.FixedZone("", -12*3600)),
		},
	}}.Cleaned(now).Result
	if year := got.Certificate.NotAfter.Year(); year != 9999 {
		t.Errorf("a certificate ends in %d, which no JSON can say", year)
	}
	if !got.At.Equal(now) || got.Duration != 0 || got.Status != 0 || len(got.Body) != 4096 || len(got.Certificate.Fingerprint) != 100 {
		t.Errorf("%+v", got)
	}
	if len(got.Reason) > 1000 || len(got.Reason) < 990 || !utf8.ValidString(got.Reason) || strings.ContainsRune(got.Reason, 0) {
		t.Errorf("reason %q", got.Reason)
	}
	if diff := cmp.Diff(map[string]string{"a": "\uFFFD"}, got.Headers); diff != "" {
		t.Error(diff)
	}
	long := CheckReport{Result: ProbeResult{At: now, Duration: time.Hour, Headers: map[string]string{"a": strings.Repeat("a", 9000)}}}.Cleaned(now)
	if long.Result.Duration != 3*time.Minute || len(long.Result.Headers) > 0 {
		t.Errorf("%+v", long.Result)
	}
}
