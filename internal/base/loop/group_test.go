package loop

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// slow is a round that takes some time to end after it is canceled.
func slow(d time.Duration) func(context.Context, int) (bool, error) {
	return func(ctx context.Context, _ int) (bool, error) {
		<-ctx.Done()
		<-time.After(d)
		return false, nil
	}
}

func (d *diary) named(name string) *Loop {
	l := d.loop()
	l.Name, l.Every = name, time.Minute
	return l
}

func TestGroupStopsAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		purge, flush := newDiary(nil), newDiary(slow(5*time.Second))
		g := Start(t.Context(), purge.named("purge"), flush.named("flush"))
		<-time.After(150 * time.Second)
		if err := g.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		check(t, 155*time.Second, time.Since(purge.start))
		check(t, seconds(0, 60, 120), purge.rounds)
		check(t, seconds(0), flush.rounds)
		if err := g.Stop(t.Context()); err != nil {
			t.Errorf("stopped again: %v", err)
		}
	})
}

func TestGroupEndsWithContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		purge := newDiary(nil)
		g := Start(ctx, purge.named("purge"))
		<-time.After(time.Hour)
		if err := g.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		check(t, seconds(0, 60), purge.rounds)
	})
}

func TestGroupNamesWhatStillRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := Start(t.Context(),
			newDiary(slow(time.Minute)).named("probe"),
			newDiary(nil).named("purge"),
			newDiary(slow(time.Hour)).named("flush"))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := g.Stop(ctx)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v", err)
		}
		check(t, "stop loops probe, flush: context deadline exceeded", err.Error())
		if err := g.Stop(t.Context()); err != nil {
			t.Errorf("stopped without haste: %v", err)
		}
	})
}

func TestGroupThatEndedIsNotLate(t *testing.T) {
	t.Parallel()
	g := Start(t.Context(), newDiary(nil).named("purge"))
	if err := g.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 { // select is free to see ctx first
		if err := g.Stop(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

func TestGroupOfNone(t *testing.T) {
	t.Parallel()
	if err := Start(t.Context()).Stop(t.Context()); err != nil {
		t.Error(err)
	}
}
