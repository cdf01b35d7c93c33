package sett

import (
	"encoding/json"
	"testing"
	"time"
)

func TestCheckInPause(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for body, want := range map[string]time.Duration{
		`{"time":"hour"}`: time.Hour, `{"time":"day"}`: 24 * time.Hour, `{"time":"week"}`: 7 * 24 * time.Hour,
		`{}`: 0, `{"time":null}`: 0, `{"time":"year"}`: 0, `{"time":1}`: 0, `{"time":""}`: 0,
	} {
		var p CheckInPause
		if err := json.Unmarshal([]byte(body), &p); err != nil {
			t.Fatal(err)
		}
		until, err := p.Until(now)
		if refused := CodeOf(err) == Invalid; refused != (want == 0) || !refused && until.Sub(now) != want {
			t.Errorf("%s: until %v, %v", body, until, err)
		}
	}
}
