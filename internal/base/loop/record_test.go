package loop

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRecord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(func(_ context.Context, round int) (bool, error) {
			time.Sleep(2 * time.Second)
			if round == 2 {
				return false, errBroken
			}
			return false, nil
		})
		l := d.loop()
		l.Every = time.Minute
		ctx, cancel := context.WithCancel(t.Context())
		g := Start(ctx, l)
		start := time.Now()
		at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
		want := func(what string, w Record) {
			t.Helper()
			synctest.Wait()
			w.Name, w.Does, w.Every = "sweep", "Sweeps.", time.Minute
			if diff := cmp.Diff([]Record{w}, g.Records()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		took := 2 * time.Second
		want("in the first round", Record{Running: true, Began: start})
		time.Sleep(10 * time.Second)
		want("after it", Record{Began: start, Took: took, Next: at(62)})
		time.Sleep(54*time.Second + time.Millisecond)
		want("after the second, which fails", Record{Began: at(62), Took: took, Next: at(65), Failures: 1, FailedAt: at(64), Problem: errBroken.Error()})
		time.Sleep(4 * time.Second)
		want("after the third, which does not", Record{Began: at(65), Took: took, Next: at(127), FailedAt: at(64), Problem: errBroken.Error()})
		cancel()
		_ = g.Stop(t.Context())
	})
}
