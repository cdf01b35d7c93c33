package progress

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// On a terminal, a step is one line that is rewritten, and nothing of it is left. What ends before two seconds is not shown.
func TestLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		ctx, stop := Line(t.Context(), &out)
		quick := Begin(ctx, "opening the database", Changes, 0)
		time.Sleep(1900 * time.Millisecond)
		quick.End()
		copied := Begin(ctx, "copying the database", Bytes, 40_000_000)
		copied.Add(9_000_000)
		copied.Add(1_000_000)
		time.Sleep(200 * time.Millisecond) // 2.1 s
		copied.Set(20_000_000)
		inner := Measure(ctx, "checking", Rows, 0, func() int64 { return 7 })
		time.Sleep(200 * time.Millisecond)
		inner.End()
		copied.End()
		out.WriteString("a line of the log\n")
		stop()
		stop()
		lines := strings.Split(out.String(), "\r")
		want := []string{"", "copying the database: 10 of 40 MB, 100 MB/s, about 0 s left", "checking: 7 rows, 70 rows/s, 0 s", "", "a line of the log\n"}
		if diff := cmp.Diff(want, trimmed(lines)); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
		for i := 2; i < len(lines)-1; i++ {
			if len(lines[i]) < len(strings.TrimRight(lines[i-1], " ")) {
				t.Errorf("%q leaves the end of %q on the screen", lines[i], lines[i-1])
			}
		}
	})
}

func trimmed(lines []string) (all []string) {
	for _, line := range lines {
		all = append(all, strings.TrimRight(line, " "))
	}
	return all
}

// In a log, a step is a line every ten seconds at most. Work that ends within two seconds has none.
func TestLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
		ctx, stop := Show(t.Context(), &out, log)
		s := Begin(ctx, "changing the schema", Changes, 40)
		time.Sleep(500 * time.Millisecond)
		for range 23 {
			time.Sleep(time.Second)
			s.Add(1)
		}
		s.End()
		stop()
		ctx, stop = Log(t.Context(), log)
		for range 30 { // each ends soon
			s := Begin(ctx, "copying a table", Rows, 0)
			time.Sleep(1900 * time.Millisecond)
			s.End()
		}
		stop()
		want := "level=INFO msg=\"changing the schema\" done=1 unit=changes total=40 duration_ms=2000\n" +
			"level=INFO msg=\"changing the schema\" done=11 unit=changes total=40 duration_ms=12000\n" +
			"level=INFO msg=\"changing the schema\" done=21 unit=changes total=40 duration_ms=22000\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	})
}

// Who does not ask for progress gets none.
func TestNothingIsShownUnasked(t *testing.T) {
	t.Parallel()
	s := Begin(context.Background(), "copying", Bytes, 1)
	s.Add(1)
	s.Set(1)
	s.End()
	Measure(context.Background(), "copying", Bytes, 1, nil).End()
	if s != nil {
		t.Errorf("a step of %+v", s)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	tests := map[string]State{
		"creating the sample data: 40 %, about 1 min 30 s left": {What: "creating the sample data", Unit: Percent, Done: 40, Total: 100, Took: time.Minute, Left: 90 * time.Second},
		"changing the schema: 12 of 41 changes, 34 s":           {What: "changing the schema", Unit: Changes, Done: 12, Total: 41, Took: 34 * time.Second},
		"checking the database, 5 s":                            {What: "checking the database", Unit: Bytes, Took: 5 * time.Second},
	}
	for want, s := range tests {
		if got := s.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The null device is a device as terminals are, and no one reads it.
func TestWhatIsNoTerminal(t *testing.T) {
	t.Parallel()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	file, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if isTerminal(null) || isTerminal(file) || isTerminal(&bytes.Buffer{}) {
		t.Error("a terminal")
	}
}
