package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"sett/internal/setttest/traffic"
)

// NodesResult is what several servers of one database took in together.
type NodesResult struct {
	Rate     float64 // accepted notices a second
	P50, P99 time.Duration
	CPU      time.Duration // of all servers, a notice
	Accepted int64
}

// Nodes measures several servers of one database that all get notices of one fault. The connections are spread evenly.
func Nodes(ctx context.Context, o Options, nodes int) (res NodesResult, err error) {
	servers, err := startNodes(ctx, o, nodes)
	defer func() {
		for _, s := range servers {
			err = errors.Join(err, ended(s.stop()))
		}
	}()
	if err != nil {
		return res, err
	}
	project, err := (manager{"http://" + servers[0].address, o.Token}).createProject(ctx, fmt.Sprintf("Nodes %d", nodes))
	if err != nil {
		return res, err
	}
	one := traffic.Kinds(rand.New(rand.NewPCG(1, 2)), 0)[1:2] // without a token
	load := noticeLoad{keys: []string{project.Token}, kinds: [][]traffic.Kind{one}}
	if _, err := loadNodes(ctx, o, servers, load, min(time.Second, o.Duration)); err != nil { // to warm up
		return res, err
	}
	before := cpuOf(servers)
	s, err := loadNodes(ctx, o, servers, load, o.Duration)
	if err != nil {
		return res, err
	}
	used := cpuOf(servers) - before
	return NodesResult{s.rate(), s.quantile(0.5), s.quantile(0.99), used / time.Duration(max(s.accepted, 1)), s.accepted}, nil
}

func startNodes(ctx context.Context, o Options, nodes int) (servers []*process, err error) {
	for n := range nodes {
		address, err := freeAddress()
		if err != nil {
			return servers, err
		}
		p, err := startProcess(ctx, address, "/readyz", o.Errors, []string{"SETT_DATABASE=" + o.Database, "SETT_SECRET_KEY_FILE=" + o.KeyFile, "SETT_API_RATE_LIMIT=0"},
			o.Executable, "serve", "--listen", address, "--data", filepath.Join(o.Data, fmt.Sprint("node", n)), "--log-level", "warn")
		if err != nil {
			return servers, err
		}
		servers = append(servers, p)
	}
	return servers, nil
}

// loadNodes loads all servers at the same time.
func loadNodes(ctx context.Context, o Options, servers []*process, n noticeLoad, d time.Duration) (total sample, err error) {
	samples := make([]sample, len(servers))
	errs := make([]error, len(servers))
	var wg sync.WaitGroup
	for i, s := range servers {
		connections := (o.Connections + i) / len(servers) // together they are all
		l := &load{address: s.address, connections: connections, sender: n.sender}
		wg.Go(func() { samples[i], errs[i] = l.run(ctx, d, uint64(i)) })
	}
	wg.Wait()
	for _, s := range samples {
		total.accepted += s.accepted
		total.elapsed = max(total.elapsed, s.elapsed)
		total.latencies = append(total.latencies, s.latencies...)
	}
	slices.Sort(total.latencies)
	return total, errors.Join(errs...)
}

func cpuOf(servers []*process) (total time.Duration) {
	for _, s := range servers {
		total += s.cpu()
	}
	return total
}
