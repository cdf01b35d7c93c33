package bench

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"
)

// PagesOptions say what is measured of the pages that people see.
type PagesOptions struct {
	Executable string    // the sett binary
	Data       string    // directory with a demo, or an empty one, in which one is made
	Scale      int       // of a demo that is made
	Visits     int       // of each screen
	Errors     io.Writer // where the server's log goes
}

// PagesResult is what was measured.
type PagesResult struct {
	Notices, Faults int64
	Making          time.Duration // how long the demo took to be there
	Screens         []Screen
	P50, P99        time.Duration    // of the visits to all screens
	CPU             [2]time.Duration // of the server: p50 and p99 of the visits, which other work of the machine does not delay
	Memory          int64            // greatest resident set of the server, bytes
}

// Screen is how long one of the pages took: the whole of it as a browser sees it, and of that the reading and the drawing,
// as the server says. What is in neither is finding out who asks, compressing and the way.
type Screen struct {
	Name       string
	Visits     int
	P50, P99   time.Duration
	First      time.Duration // of the visits: what a server keeps in memory, it has not read yet
	Read, Draw time.Duration // medians
	CPU        time.Duration // of the server, median
	Bytes      int           // sent, compressed, on the last visit
}

// Pages measures how long the pages of a demo take, one after another.
func Pages(ctx context.Context, o PagesOptions) (res PagesResult, err error) {
	began := time.Now()
	server, link, err := startDemo(ctx, o.Executable, o.Data, o.Scale, o.Errors)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, ended(server.stop())) }()
	making := time.Since(began)
	if res, err = Visit(ctx, link, o.Data, o.Visits, server.cpu); err != nil {
		return res, err
	}
	res.Making, res.Memory = making, server.memory()
	return res, nil
}

// Visit measures the pages of a demo that is served; link signs in, and dir is where its data are. Each screen is visited so
// many times, after some visits that only warm up; screens take turns. cpu returns the CPU time of the server so far.
func Visit(ctx context.Context, link, dir string, visits int, cpu func() time.Duration) (res PagesResult, err error) {
	d, err := readDemo(dir)
	if err != nil {
		return res, err
	}
	b, err := signIn(ctx, link)
	if err != nil {
		return res, err
	}
	screens, err := b.screens(ctx, d)
	if err != nil {
		return res, err
	}
	took, first := make([][]visit, len(screens)), make([]time.Duration, len(screens))
	for n := range warming + visits {
		for i, s := range screens {
			before := cpu()
			one, err := b.visit(ctx, s.paths[n%len(s.paths)])
			if err != nil {
				return res, err
			}
			one.cpu = cpu() - before
			if n == 0 {
				first[i] = one.whole
			}
			if n >= warming {
				took[i] = append(took[i], one)
			}
		}
	}
	res.Notices, res.Faults = d.Made.Notices, d.Made.Faults
	res.sum(screens, took, first)
	return res, nil
}

// warming is number of visits to each page before it counts.
const warming = 3

// sum turns visits into figures.
func (r *PagesResult) sum(screens []screen, took [][]visit, first []time.Duration) {
	var all, allCPU []time.Duration
	for i, s := range screens {
		var whole, read, draw, cpu []time.Duration
		for _, v := range took[i] {
			whole, read, draw, cpu = append(whole, v.whole), append(read, v.read), append(draw, v.draw), append(cpu, v.cpu)
		}
		all, allCPU = append(all, whole...), append(allCPU, cpu...)
		r.Screens = append(r.Screens, Screen{
			Name: s.name, Visits: len(whole), First: first[i], P50: quantile(whole, 0.5), P99: quantile(whole, 0.99), Read: quantile(read, 0.5), Draw: quantile(draw, 0.5),
			CPU: quantile(cpu, 0.5), Bytes: took[i][len(took[i])-1].bytes,
		})
	}
	r.P50, r.P99 = quantile(all, 0.5), quantile(all, 0.99)
	r.CPU = [2]time.Duration{quantile(allCPU, 0.5), quantile(allCPU, 0.99)}
}

// quantile returns the value below which the given share of all is.
func quantile(values []time.Duration, share float64) time.Duration {
	slices.Sort(values)
	return values[min(int(share*float64(len(values))), len(values)-1)]
}
