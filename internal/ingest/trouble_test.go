package ingest

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestTroubleIsLoggedOnceAMinute(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	tr := trouble{message: "it failed"}
	tr.note(log, noon, nil)
	for second := range 90 {
		tr.note(log, noon.Add(time.Duration(second)*time.Second), errors.New("full"))
	}
	for range 3 {
		tr.note(log, noon.Add(2*time.Minute), nil)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	want := []string{"it failed\" failures=1", "it failed\" failures=60", "works again\" about=\"it failed\" failures=29"}
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), out.String())
	}
	for i, part := range want {
		if !strings.Contains(lines[i], part) {
			t.Errorf("line %d is %s; want %s in it", i, lines[i], part)
		}
	}
}
