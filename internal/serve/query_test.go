package serve

import (
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func TestDecodeQuery(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		query string
		want  sampleQuery
	}{
		{"", sampleQuery{}},
		{"q=a+b%26c&order=recent&deep=true&depth=3", sampleQuery{Q: "a b&c", Order: "recent", Deep: true, sampleMore: sampleMore{3}}},
		{"created_after=-5&environment=", sampleQuery{CreatedAfter: sett.Some[int64](-5), Environment: sett.Some("")}},
		{"created_after=&deep=&order=&depth=&q=", sampleQuery{}},
		{"q=first&q=second&unknown=1", sampleQuery{Q: "first"}},
		{"deep=1", sampleQuery{Deep: true}},
		{"day=2026-11-18", sampleQuery{Day: sampleDay{"2026-11-18"}}},
		{"day=", sampleQuery{}},
	} {
		var got sampleQuery
		err := DecodeQuery(httptest.NewRequestWithContext(t.Context(), "GET", "/?"+tt.query, nil), &got)
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(sampleQuery{}, sampleDay{})); err != nil || diff != "" {
			t.Errorf("%s: %v %s", tt.query, err, diff)
		}
	}
}

func TestDecodeWrongQuery(t *testing.T) {
	t.Parallel()
	const unreadable = "the query string is not valid; write %25 for a percent sign and %3B for a semicolon"
	for query, want := range map[string]string{
		"order=up":                        "order must be one of recent, frequent",
		"created_after=2026-01-01":        "created_after must be an integer",
		"depth=1.5":                       "depth must be an integer",
		"day=tomorrow":                    "day must be a day",
		"day=%ff":                         "day must be valid UTF-8 without NUL characters",
		"depth=99999999999999999999":      "depth must be an integer",
		"deep=yes":                        "deep must be true or false",
		"q=%00":                           "q must be valid UTF-8 without NUL characters",
		"environment=%ff":                 "environment must be valid UTF-8 without NUL characters",
		"depth=x&deep=y&order=z&q=fine":   "order must be one of recent, frequent; deep must be true or false; depth must be an integer",
		"q=100%":                          unreadable,
		"q=a;b":                           unreadable,
		"created_after=x&created_after=1": "created_after must be an integer",
	} {
		got := sampleQuery{}
		err := DecodeQuery(httptest.NewRequestWithContext(t.Context(), "GET", "/?"+query, nil), &got)
		if diff := cmp.Diff(error(sett.Errorf(sett.Invalid, "Please correct: %s.", want)), errors.Unwrap(err)); diff != "" {
			t.Errorf("%s: %s", query, diff)
		}
	}
}

func TestDecodeQueryRefusesOtherTypes(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a slice was taken for a parameter")
		}
	}()
	var q struct {
		IDs []int `query:"ids"`
	}
	_ = DecodeQuery(httptest.NewRequestWithContext(t.Context(), "GET", "/?ids=1", nil), &q)
}
