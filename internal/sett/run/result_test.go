package run

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestResultsAreReadFromTheBeginningOfAPayload(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	for head, want := range map[string]Result{
		``:                              {Duration: -1},
		`x`:                             {Duration: -1},
		`{}`:                            {Duration: -1},
		`{"status":"success"}`:          {Duration: -1},
		`{"status":"error"}`:            {Failed: true, Duration: -1},
		`{"duration":20}`:               {Duration: 20 * time.Millisecond},
		`{"duration":`:                  {Duration: -1},
		`{"duration":1000000000000000}`: {Duration: longest},
		`{"status":"success","duration":5,"exit_code":0,"stdout":"a\"b`: {Duration: 5 * time.Millisecond},
		`{"duration":5,"exit_code":3,"stdout":"{\"duration\":7}","std`:  {Failed: true, Duration: 5 * time.Millisecond},
	} {
		want.At = at
		if diff := cmp.Diff(want, NewResult(at, false, head)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", head, diff)
		}
	}
	if !NewResult(at, true, "").Missed {
		t.Error("a miss is none")
	}
}
