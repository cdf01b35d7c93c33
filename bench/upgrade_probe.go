package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"sett/internal/setttest/traffic"
)

// probeEvery is how often each request is sent while a server works in the background.
const probeEvery = 100 * time.Millisecond

// Probe is how long a request took, each time it was sent.
type Probe struct {
	Name   string
	Failed int // another status than it should have
	took   []time.Duration
}

// Sent returns how often the request was sent.
func (p Probe) Sent() int { return len(p.took) }

// Quantile returns the time that a share of the requests took at most.
func (p Probe) Quantile(share float64) time.Duration {
	took := slices.Sorted(slices.Values(p.took))
	return sample{latencies: took}.quantile(share)
}

// prober asks a server for what people and clients wait for.
type prober struct {
	probes []Probe
	asks   []func(context.Context) (status int, err error)
	want   []int
}

// prober signs in on a server, and finds an error of many events.
func (f Filled) prober(ctx context.Context, server *process) (*prober, error) {
	base := "http://" + server.address
	person, err := signInAs(ctx, base, f.Email, f.Password)
	if err != nil {
		return nil, err
	}
	listed, err := Filled{Projects: f.Projects[:1]}.list(ctx, manager{base, f.Token})
	if err != nil || len(listed) == 0 {
		return nil, errors.Join(err, fmt.Errorf("%d errors are listed", len(listed)))
	}
	most := slices.MaxFunc(listed, func(a, b listedFault) int { return int(a.Notices - b.Notices) })
	page := func(path string) func(context.Context) (int, error) {
		return func(ctx context.Context) (int, error) { return read(person.get(ctx, path)) }
	}
	project := fmt.Sprintf("/projects/%d/faults", f.Projects[0].ID)
	p := &prober{want: []int{http.StatusOK, http.StatusOK, http.StatusCreated}}
	p.probes = []Probe{{Name: "errors"}, {Name: "an error"}, {Name: "a new event"}}
	p.asks = append(p.asks, page(project), page(fmt.Sprintf("%s/%d", project, most.ID)), f.report(base))
	return p, nil
}

// report returns what reports an event.
func (f Filled) report(base string) func(context.Context) (int, error) {
	r := rand.New(rand.NewPCG(5, 6))
	kinds := traffic.Kinds(rand.New(rand.NewPCG(1, 2)), 0)
	return func(ctx context.Context) (int, error) {
		body := kinds[r.IntN(len(kinds))].Fill(nil, r)
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/notices", bytes.NewReader(body))
		if err != nil {
			return 0, err
		}
		request.Header.Set("X-API-Key", f.Projects[0].Token)
		request.Header.Set("Content-Type", "application/json")
		return read(http.DefaultClient.Do(request))
	}
}

// read reads a response to its end.
func read(answer *http.Response, err error) (status int, _ error) {
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

// probe sends each request at each probeEvery for a time.
func (p *prober) probe(ctx context.Context, d time.Duration) error {
	var all sync.WaitGroup
	until := time.Now().Add(d)
	for i, ask := range p.asks {
		all.Go(func() {
			for next := time.Now(); next.Before(until) && wait(ctx, time.Until(next)) == nil; next = next.Add(probeEvery) {
				began := time.Now()
				status, err := ask(ctx)
				p.probes[i].took = append(p.probes[i].took, time.Since(began))
				if err != nil || status != p.want[i] {
					p.probes[i].Failed++
				}
			}
		})
	}
	all.Wait()
	return ctx.Err()
}
