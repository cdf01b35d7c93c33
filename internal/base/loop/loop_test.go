package loop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var errBroken = errors.New("the database does not answer")

// diary is a loop's work in a bubble: it notes when each round begins, and then does what the test says.
type diary struct {
	start  time.Time
	rounds []time.Duration // since the start
	then   func(ctx context.Context, round int) (more bool, err error)
	log    bytes.Buffer
}

func newDiary(then func(ctx context.Context, round int) (bool, error)) *diary {
	return &diary{start: time.Now(), then: then}
}

func (d *diary) work(ctx context.Context) (bool, error) {
	d.rounds = append(d.rounds, time.Since(d.start))
	if d.then == nil {
		return false, nil
	}
	return d.then(ctx, len(d.rounds))
}

func (d *diary) loop() *Loop {
	return &Loop{Name: "sweep", Does: "Sweeps.", Work: d.work, Log: slog.New(slog.NewJSONHandler(&d.log, nil))}
}

// runFor runs the loop for so long and returns once it has ended.
func runFor(t *testing.T, l *Loop, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	l.Run(ctx)
}

// messages are the lines that were logged, as "LEVEL message", with those of the attributes that the test names.
func (d *diary) messages(t *testing.T, attributes ...string) (lines []string) {
	t.Helper()
	decoder := json.NewDecoder(&d.log)
	for decoder.More() {
		line := map[string]any{}
		if err := decoder.Decode(&line); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprint(line["level"], " ", line["msg"])
		for _, a := range attributes {
			if v, ok := line[a]; ok {
				text += fmt.Sprint(" ", a, "=", v)
			}
		}
		lines = append(lines, text)
	}
	return lines
}

func seconds(ss ...float64) (ds []time.Duration) {
	for _, s := range ss {
		ds = append(ds, time.Duration(s*float64(time.Second)))
	}
	return ds
}

func check[T any](t *testing.T, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRunWhenDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(func(context.Context, int) (bool, error) {
			<-time.After(2 * time.Second) // the rest counts from the end of a round
			return false, nil
		})
		l := d.loop()
		l.Every = 10 * time.Second
		runFor(t, l, 40*time.Second)
		check(t, seconds(0, 12, 24, 36), d.rounds)
		check(t, nil, d.messages(t))
	})
}

func TestJitterOnlyShortens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(nil)
		l := d.loop()
		l.Every, l.Jitter = time.Minute, 0.25
		runFor(t, l, 24*time.Hour)
		var rests []time.Duration
		for i := range d.rounds[1:] {
			rests = append(rests, d.rounds[i+1]-d.rounds[i])
		}
		shortest, longest := slices.Min(rests), slices.Max(rests)
		if shortest < 45*time.Second || longest > time.Minute || longest-shortest < 10*time.Second {
			t.Errorf("rests of %s to %s; want them spread over 45 s to 1 min", shortest, longest)
		}
	})
}

func TestMoreRunsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(func(_ context.Context, round int) (bool, error) { return round < 3, nil })
		l := d.loop()
		l.Every = time.Hour
		runFor(t, l, 90*time.Minute)
		check(t, seconds(0, 0, 0, 3600), d.rounds)
	})
}

func TestMoreEndsWithContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		d := newDiary(func(_ context.Context, round int) (bool, error) {
			if round == 5 {
				cancel()
			}
			return true, nil
		})
		l := d.loop()
		l.Every = time.Second
		l.Run(ctx)
		check(t, 5, len(d.rounds))
	})
}

func TestWakeCutsRestShort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wake := make(chan struct{}, 1)
		d := newDiary(nil)
		l := d.loop()
		l.Every, l.Wake = time.Minute, wake
		time.AfterFunc(5*time.Second, func() { wake <- struct{}{} })
		runFor(t, l, 70*time.Second)
		check(t, seconds(0, 5, 65), d.rounds)
	})
}

func TestWakesDuringRoundMakeOneMore(t *testing.T) {
	t.Parallel()
	for _, room := range []int{0, 1, 3} {
		t.Run(fmt.Sprint("room for ", room), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				wake := make(chan struct{}, room)
				d := newDiary(func(context.Context, int) (bool, error) {
					<-time.After(10 * time.Second)
					return false, nil
				})
				l := d.loop()
				l.Wake = wake
				for range max(room, 1) {
					time.AfterFunc(time.Second, func() { wake <- struct{}{} })
				}
				runFor(t, l, time.Hour)
				check(t, seconds(0, 10), d.rounds)
			})
		})
	}
}

func TestFailuresBackOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(func(_ context.Context, round int) (bool, error) {
			if round == 10 {
				return false, nil
			}
			return true, fmt.Errorf("sweep: %w", errBroken)
		})
		l := d.loop()
		l.Every = 100 * time.Second
		runFor(t, l, 343*time.Second+time.Millisecond)
		check(t, seconds(0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 343), d.rounds)
		check(t, []string{
			"ERROR a background job failed and is retried job=sweep error=sweep: the database does not answer retry_in_ms=1000",
			"INFO a background job works again job=sweep failures=9",
			"ERROR a background job failed and is retried job=sweep error=sweep: the database does not answer retry_in_ms=1000",
		}, d.messages(t, "job", "error", "retry_in_ms", "failures"))
	})
}

func TestBackOffStaysWithinBounds(t *testing.T) {
	t.Parallel()
	for _, failures := range []int{7, 8, 64, 1000, math.MaxInt} {
		check(t, time.Minute, retryAfter(failures))
	}
}

func TestWakesWaitForBackOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wake := make(chan struct{}, 1)
		d := newDiary(func(_ context.Context, round int) (bool, error) {
			if round <= 3 {
				return false, errBroken
			}
			return false, nil
		})
		l := d.loop()
		l.Wake = wake
		time.AfterFunc(500*time.Millisecond, func() { wake <- struct{}{} })
		runFor(t, l, time.Hour)
		check(t, seconds(0, 1, 3, 7), d.rounds)
	})
}

func TestPanicIsSurvivedAndLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(func(_ context.Context, round int) (bool, error) {
			switch round {
			case 1:
				return false, errBroken
			case 2, 3:
				panic("an unexpected case")
			}
			return false, nil
		})
		l := d.loop()
		l.Every = time.Minute
		runFor(t, l, 10*time.Second)
		check(t, seconds(0, 1, 3, 7), d.rounds)
		logged := d.log.String()
		check(t, []string{
			"ERROR a background job failed and is retried error=the database does not answer",
			"ERROR a background job crashed and is retried error=panic: an unexpected case",
			"ERROR a background job crashed and is retried error=panic: an unexpected case",
			"INFO a background job works again failures=3",
		}, d.messages(t, "error", "failures"))
		if !strings.Contains(logged, "TestPanicIsSurvivedAndLogged") {
			t.Errorf("no stack in the log: %s", logged)
		}
	})
}

func TestStopWhileResting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(nil)
		l := d.loop()
		l.Every = time.Hour
		runFor(t, l, time.Second)
		check(t, time.Second, time.Since(d.start))
	})
}

func TestStopWhileBackingOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(func(context.Context, int) (bool, error) { return false, errBroken })
		l := d.loop()
		l.Every = time.Hour
		runFor(t, l, 10*time.Second)
		check(t, 10*time.Second, time.Since(d.start))
	})
}

func TestStopLetsRoundFinish(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		err    func(ctx context.Context) error
		logged []string
	}{
		{"well", func(context.Context) error { return nil }, nil},
		{"because it was canceled", func(ctx context.Context) error { return fmt.Errorf("sweep: %w", ctx.Err()) }, nil},
		{"with an error of its own", func(context.Context) error { return errBroken }, []string{"ERROR a background job failed and is retried"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDiary(func(ctx context.Context, _ int) (bool, error) {
					<-ctx.Done()
					<-time.After(3 * time.Second) // what it must still write
					return true, tt.err(ctx)
				})
				l := d.loop()
				l.Every = time.Second
				runFor(t, l, 10*time.Second)
				check(t, 13*time.Second, time.Since(d.start))
				check(t, seconds(0), d.rounds)
				check(t, tt.logged, d.messages(t))
			})
		})
	}
}

func TestNothingRunsAfterTheEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := newDiary(nil)
	l := d.loop()
	l.Every = time.Second
	l.Run(ctx)
	check(t, 0, len(d.rounds))
}

func TestIncompleteLoopPanics(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Loop){
		"no name":         func(l *Loop) { l.Name = "" },
		"no sentence":     func(l *Loop) { l.Does = "" },
		"no work":         func(l *Loop) { l.Work = nil },
		"no log":          func(l *Loop) { l.Log = nil },
		"never due":       func(l *Loop) { l.Every = 0 },
		"due in the past": func(l *Loop) { l.Every = -1 },
		"negative jitter": func(l *Loop) { l.Jitter = -0.1 },
		"too much jitter": func(l *Loop) { l.Jitter = 1.1 },
		"jitter is NaN":   func(l *Loop) { l.Jitter = math.NaN() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newDiary(nil).loop()
			l.Every = time.Second
			l.mustBeComplete()
			spoil(l)
			defer func() {
				if recover() == nil {
					t.Error("it ran")
				}
			}()
			Start(t.Context(), l)
		})
	}
}
