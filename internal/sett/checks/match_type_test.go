package checks

import "testing"

func TestMatchTypes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		match       MatchType
		text        string
		status      int
		found       bool
		badStatus   string
		badText     string
		judgesPages bool
	}{
		{MatchSuccess, "", 200, false, "", "", false},
		{MatchSuccess, "", 299, true, "", "", false},
		{MatchSuccess, "", 199, false, "Expected 2xx status code -- got 199", "", false},
		{MatchSuccess, "", 300, false, "Expected 2xx status code -- got 300", "", false},
		{MatchExact, "301", 301, false, "", "", false},
		{MatchExact, "204", 200, true, "Expected status code 204 -- got 200", "", false},
		{MatchInclude, "open", 500, true, "", "", true},
		{MatchInclude, `"open"`, 200, false, "", `Expected page to include "\"open\""`, true},
		{MatchExclude, "error", 500, false, "", "", true},
		{MatchExclude, "error", 200, true, "", `Expected page not to include "error"`, true},
	} {
		if got := tt.match.StatusProblem(tt.text, tt.status); got != tt.badStatus {
			t.Errorf("%s, status %d: %q, want %q", tt.match, tt.status, got, tt.badStatus)
		}
		if got := tt.match.TextProblem(tt.text, tt.found); got != tt.badText {
			t.Errorf("%s, found %t: %q, want %q", tt.match, tt.found, got, tt.badText)
		}
		if got := tt.match.JudgesText(); got != tt.judgesPages {
			t.Errorf("%s judges text: %t", tt.match, got)
		}
	}
}

func TestPlainReason(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		MatchSuccess.StatusProblem("", 503):   "Got 503, expected 2xx",
		MatchExact.StatusProblem("204", 200):  "Got 200, expected 204",
		MatchInclude.TextProblem("ok", false): `Expected page to include "ok"`,
		"":                                    "",
	} {
		if got := PlainReason(reason); got != want {
			t.Errorf("%q: %q, want %q", reason, got, want)
		}
	}
}
