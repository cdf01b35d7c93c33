package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"sett/internal/setttest/traffic"
)

// settings say how products are measured.
type settings struct {
	events      int
	connections int
}

// figures are what one round has measured of one product.
type figures struct {
	bodyBytes    int           // on average an event
	accepted     float64       // events a second, until the last was accepted
	drained      float64       // events a second, until the last was stored
	cpu          time.Duration // for 10,000 events, including what follows
	idle, peak   int64         // memory in bytes
	disk         int64         // bytes an event, after a clean stop
	others       float64       // cores that other processes have used meanwhile
	refused      int           // answers other than success, after which an event was sent again
	promised     int           // events accepted before and until a kill
	missing      int           // of those, never stored
	recoverAfter time.Duration // from the restart until nothing waits
}

// measure measures a product in one round, with a new instance in a directory that is removed afterwards.
func (s settings) measure(ctx context.Context, p product, dir string, seed uint64) (f figures, err error) {
	dir = filepath.Join(dir, "data")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return f, err
	}
	defer func() {
		if err == nil {
			err = os.RemoveAll(dir)
		}
	}()
	i, err := p.create(ctx, dir)
	if err != nil {
		return f, fmt.Errorf("create an instance: %w", err)
	}
	before, err := i.disk()
	if err != nil {
		return f, err
	}
	if err := s.load(ctx, i, seed, &f); err != nil {
		return f, fmt.Errorf("measure a burst: %w", err)
	}
	after, err := i.disk()
	if err != nil {
		return f, err
	}
	f.disk = (after - before) / int64(s.events)
	if err := s.kill(ctx, i, seed+1, &f); err != nil {
		return f, fmt.Errorf("measure losses: %w", err)
	}
	return f, nil
}

// load sends a burst and waits until all of it is stored and the processes are quiet.
func (s settings) load(ctx context.Context, i instance, seed uint64, f *figures) error {
	g, err := i.start(ctx)
	if err != nil {
		return err
	}
	defer func() { g.signal(syscall.SIGTERM) }()
	if err := g.quiet(ctx); err != nil {
		return err
	}
	f.idle = g.memory()
	b, err := s.burst(i, seed, f)
	if err != nil {
		return err
	}
	all, own := machine()
	endPeak, busy, began := g.peak(), g.cpu(), time.Now()
	running, end := g.running(ctx)
	sent := b.send(running)
	err = context.Cause(running)
	end()
	if err != nil {
		return err
	}
	for _, n := range sent.refused {
		f.refused += n
	}
	if err := stored(ctx, i, len(sent.ids)); err != nil {
		return err
	}
	drained := time.Since(began)
	allNow, ownNow := machine()
	f.others = max(0, (allNow-all)-(ownNow-own)-(g.cpu()-busy)).Seconds() / drained.Seconds()
	f.accepted = float64(len(sent.ids)) / sent.took.Seconds()
	f.drained = float64(len(sent.ids)) / drained.Seconds()
	if err := g.quiet(ctx); err != nil {
		return err
	}
	f.peak = endPeak()
	f.cpu = (g.cpu() - busy) * 10_000 / time.Duration(s.events)
	return nil
}

// burst prepares a burst, so that sending takes little time of the processors.
func (s settings) burst(i instance, seed uint64, f *figures) (*burst, error) {
	requests, err := i.requests(traffic.Notices(s.events, seed))
	if err != nil {
		return nil, err
	}
	f.bodyBytes = 0
	for _, r := range requests {
		f.bodyBytes += r.body
	}
	f.bodyBytes /= len(requests)
	return &burst{address: i.address(), connections: s.connections, requests: requests}, nil
}

// stored waits until so many events are stored and none waits.
func stored(ctx context.Context, i instance, events int) error {
	const patience = 2 * time.Minute
	before, changed := -1, time.Now()
	for every := 20 * time.Millisecond; ; every = min(2*every, time.Second) {
		now, waiting, err := i.progress(ctx)
		if err != nil {
			return err
		}
		if now >= events && waiting == 0 {
			return nil
		}
		if now != before {
			before, changed = now, time.Now()
		}
		if time.Since(changed) > patience {
			return fmt.Errorf("%d of %d events are stored, %d wait, and nothing has changed for %v", now, events, waiting, patience)
		}
		if err := sleep(ctx, every); err != nil {
			return err
		}
	}
}

// promisedUntilKill sends half of a burst, kills all processes while more is being sent, and returns the ids of what was accepted.
func (s settings) promisedUntilKill(ctx context.Context, g *group, b *burst) ([]string, error) {
	running, end := g.running(ctx)
	defer end()
	sent := make(chan outcome, 1)
	go func() { sent <- b.send(running) }()
	for b.accepted.Load() < int64(s.events/2) {
		if sleep(running, time.Millisecond) != nil {
			return nil, context.Cause(running)
		}
	}
	g.kill()
	end()
	ids := (<-sent).ids
	g.signal(syscall.SIGKILL)
	return ids, nil
}

// kill ends all processes while half of a burst is accepted, starts the product again, and counts what was accepted and is not stored.
func (s settings) kill(ctx context.Context, i instance, seed uint64, f *figures) error {
	g, err := i.start(ctx)
	if err != nil {
		return err
	}
	defer func() { g.signal(syscall.SIGTERM) }()
	b, err := s.burst(i, seed, f)
	if err != nil {
		return err
	}
	promised, err := s.promisedUntilKill(ctx, g, b)
	if err != nil {
		return err
	}
	began := time.Now()
	if g, err = i.start(ctx); err != nil {
		return err
	}
	if err := stored(ctx, i, 0); err != nil {
		return err
	}
	f.recoverAfter = time.Since(began)
	if err := g.quiet(ctx); err != nil {
		return err
	}
	found, err := i.ids(ctx)
	if err != nil {
		return err
	}
	f.promised = len(promised)
	for _, id := range promised {
		if !found[id] {
			f.missing++
		}
	}
	return nil
}
