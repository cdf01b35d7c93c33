package terminal

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sett/internal/app/client"
)

var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func columns() []client.Column {
	return []client.Column{{Name: "id"}, {Name: "state"}, {Name: "last_seen"}, {Name: "message"}, {Name: "url", Wide: true}}
}

func rows() []client.Row {
	return []client.Row{
		{Cells: []any{int64(7), "open", now.Add(-90 * time.Second), "誤り in a cart that is far too long for this screen", "https://a"}},
		{Cells: []any{int64(12), "resolved", time.Time{}, "short\x1b[2J\n=1", "https://b"}},
	}
}

// written is what a screen shows.
func written(t *testing.T, s *Screen, write func(*Screen)) string {
	t.Helper()
	var out bytes.Buffer
	s.out, s.now = &out, now
	write(s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return out.String()
}

// A table is aligned by what a terminal shows of it. It fits on the terminal, which alone gets colours.
func TestTables(t *testing.T) {
	t.Parallel()
	show := func(s *Screen) { s.Table(columns(), rows()) }
	want := "ID  STATE     LAST SEEN  MESSAGE\n7   open      1m ago     誤り in a cart that is far too long for this screen\n12  resolved  -          short[2J =1\n"
	if got := written(t, &Screen{}, show); got != want {
		t.Errorf("%q", got)
	}
	want = "ID  STATE     LAST SEEN  MESSAGE\n7   open      1m ago     誤り in a ca…\n12  resolved  -          short[2J =1\n"
	if got := written(t, &Screen{width: 38, height: 24}, show); got != want {
		t.Errorf("%q", got)
	}
	if got := written(t, &Screen{width: 80, height: 24, colours: true}, show); !strings.Contains(got, "7   \x1b[31mopen\x1b[0m      1m") || !strings.HasPrefix(got, "\x1b[1mID\x1b[0m  ") {
		t.Errorf("%q", got)
	}
}

// Only what is longer than the terminal goes through the pager.
func TestPagers(t *testing.T) {
	t.Parallel()
	paged := filepath.Join(t.TempDir(), "paged")
	show := func(s *Screen) { s.Table(columns(), rows()) }
	for height, want := range map[int]string{2: "", 4: "ID  STATE"} {
		got := written(t, &Screen{width: 80, height: height, pager: "cat > " + paged, environ: os.Environ()}, show)
		text, err := os.ReadFile(paged)
		if want == "" && (got != "" || err != nil || !strings.HasPrefix(string(text), "ID  STATE")) || want != "" && !strings.HasPrefix(got, want) {
			t.Errorf("height %d: %q, the pager got %q, %v", height, got, text, err)
		}
	}
	s := &Screen{out: &bytes.Buffer{}, pager: "false"}
	if s.Line("x"); s.Close() == nil {
		t.Error("a pager that fails is not said")
	}
}

// What is no terminal gets neither colours nor a pager.
func TestFilesAreNoTerminals(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if s := Open(file, []string{"PAGER=less"}, now, true); s.colours || s.pager != "" || s.width != 0 {
		t.Errorf("%+v", s)
	}
}

// Times are said as people say them.
func TestAges(t *testing.T) {
	t.Parallel()
	s := &Screen{now: now}
	for ago, want := range map[time.Duration]string{5 * time.Second: "5s ago", 3 * time.Hour: "3h ago", 50 * time.Hour: "2d ago", -2 * time.Minute: "in 2m", 60 * 24 * time.Hour: "2026-09-30"} {
		if got := s.age(now.Add(-ago)); got != want {
			t.Errorf("%v: %s", ago, got)
		}
	}
}
