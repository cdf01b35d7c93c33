package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"sett/internal/setttest/traffic"
)

// SearchOptions say what of searches is measured.
type SearchOptions struct {
	FillOptions
	Searches int           // of each kind, unless they take longer than Most
	Most     time.Duration // that the searches of one kind may take
	Starts   int           // of the server, for each kind, to measure its first search
}

// SearchResult is what was measured.
type SearchResult struct {
	Filled
	Added  int64   // notices, while intake was busy
	Load   float64 // notices a second that were accepted while intake was busy
	Rows   []SearchRow
	Memory int64 // greatest resident set of the server, bytes
}

// SearchRow is how long the searches of one kind took under one condition.
type SearchRow struct {
	When, Kind, Through string
	Searches, Failed    int // a failed one did not return 200
	P50, P99            time.Duration
}

// searchKinds are the searches, each for a random user or value of payload.go.
var searchKinds = []struct {
	name  string
	query func(r *rand.Rand) string
}{
	{"rare", func(r *rand.Rand) string { return fmt.Sprintf("context.user_id:%d", r.IntN(traffic.Users)) }},
	{"absent", func(r *rand.Rand) string { return fmt.Sprintf("context.user_id:x%x", r.Uint64()) }},
	{"frequent", func(r *rand.Rand) string { return "context.plan:" + traffic.Plans[r.IntN(len(traffic.Plans))] }},
	{"prefix", func(r *rand.Rand) string { return fmt.Sprintf("context.user_id:%d*", 1000+r.IntN(4000)) }},
	{"negated", func(r *rand.Rand) string { return "-context.plan:" + traffic.Plans[r.IntN(len(traffic.Plans))] }},
	{"combined", func(r *rand.Rand) string {
		return fmt.Sprintf("context.user_id:%d context.plan:%s hostname:web-%d", r.IntN(traffic.Users), traffic.Plans[r.IntN(len(traffic.Plans))], r.IntN(24))
	}},
}

// searchBench measures searches of one filled database.
type searchBench struct {
	SearchOptions
	held   Filled
	server *process
	random *rand.Rand
	res    SearchResult
}

// Search fills a database with notices, unless it is filled, and measures searches: at rest, while intake runs at a third of the rate of
// filling, and as the first thing that a server does after its start.
func Search(ctx context.Context, o SearchOptions) (res SearchResult, err error) {
	b := searchBench{SearchOptions: o, random: rand.New(rand.NewPCG(3, 4))}
	if b.held, err = Fill(ctx, o.FillOptions); err != nil {
		return res, err
	}
	b.res.Filled = b.held
	if err := b.start(ctx); err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, ended(b.server.stop())) }()
	for _, measure := range []func(context.Context) error{b.rest, b.busy, b.cold} {
		if err := measure(ctx); err != nil {
			return res, err
		}
	}
	return b.res, nil
}

func (b *searchBench) start(ctx context.Context) error {
	server, err := b.serve(ctx)
	if err == nil {
		b.server = server
	}
	return err
}

// rest measures searches while nothing else happens.
func (b *searchBench) rest(ctx context.Context) error { return b.all(ctx, "at rest") }

// busy measures searches while notices come in.
func (b *searchBench) busy(ctx context.Context) error {
	const connections = 64
	during, stop := context.WithCancel(ctx)
	defer stop()
	l := &load{address: b.server.address, connections: connections, every: time.Duration(connections * 3 / b.held.Rate * float64(time.Second)), sender: b.held.load().sender}
	var sent sample
	ended := make(chan error, 1)
	go func() {
		var err error
		sent, err = l.run(during, 24*time.Hour, uint64(time.Now().UnixNano()))
		ended <- err
	}()
	err := b.all(ctx, "intake busy")
	stop()
	if ends := <-ended; err == nil && ctx.Err() == nil {
		err = ends
	}
	b.res.Load, b.res.Added = sent.rate(), sent.accepted
	b.held.Notices += sent.accepted
	b.res.Memory = b.server.memory()
	return errors.Join(err, b.held.write(b.Data))
}

// cold measures the first search of a server, with nothing of the files in the system's memory where that is allowed.
func (b *searchBench) cold(ctx context.Context) error {
	for _, kind := range searchKinds {
		row := SearchRow{When: "first after a start", Kind: kind.name, Through: "API"}
		var took []time.Duration
		for range b.Starts {
			if err := ended(b.server.stop()); err != nil {
				return err
			}
			_ = os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0) // only root may
			if err := b.start(ctx); err != nil {
				return err
			}
			one, ok, err := b.throughAPI(ctx, kind.query(b.random))
			if err != nil {
				return err
			}
			row.add(&took, one, ok)
		}
		b.close(row, took)
	}
	return nil
}

// all measures every kind, through the API and the page in turn.
func (b *searchBench) all(ctx context.Context, when string) error {
	person, err := signInAs(ctx, "http://"+b.server.address, b.held.Email, b.held.Password)
	if err != nil {
		return err
	}
	page := func(ctx context.Context, query string) (time.Duration, bool, error) {
		began := time.Now()
		answer, err := person.get(ctx, fmt.Sprintf("/projects/%d/faults?q=%s", b.anyProject().ID, url.QueryEscape(query)))
		return finish(began, answer, err)
	}
	for _, kind := range searchKinds {
		rows := []SearchRow{{When: when, Kind: kind.name, Through: "API"}, {When: when, Kind: kind.name, Through: "page"}}
		took := make([][]time.Duration, len(rows))
		for began := time.Now(); rows[0].Searches == 0 || rows[0].Searches < b.Searches && time.Since(began) < b.Most; {
			for i, search := range []func(context.Context, string) (time.Duration, bool, error){b.throughAPI, page} {
				one, ok, err := search(ctx, kind.query(b.random))
				if err != nil {
					return err
				}
				rows[i].add(&took[i], one, ok)
			}
		}
		for i, row := range rows {
			b.close(row, took[i])
		}
	}
	return nil
}

func (b *searchBench) anyProject() project {
	return b.held.Projects[b.random.IntN(len(b.held.Projects))]
}

// throughAPI searches the errors of a project, and returns how long the first page took and whether it came.
func (b *searchBench) throughAPI(ctx context.Context, query string) (time.Duration, bool, error) {
	path := fmt.Sprintf("http://%s/v2/projects/%d/faults?q=%s", b.server.address, b.anyProject().ID, url.QueryEscape(query))
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	if err != nil {
		return 0, false, err
	}
	r.SetBasicAuth(b.held.Token, "")
	began := time.Now()
	answer, err := http.DefaultClient.Do(r)
	return finish(began, answer, err)
}

// finish reads a response to its end.
func finish(began time.Time, answer *http.Response, err error) (time.Duration, bool, error) {
	if err != nil {
		return 0, false, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return time.Since(began), answer.StatusCode == http.StatusOK, err
}

func (r *SearchRow) add(took *[]time.Duration, one time.Duration, ok bool) {
	r.Searches++
	if !ok {
		r.Failed++
	}
	*took = append(*took, one)
}

// close adds a row to the result.
func (b *searchBench) close(row SearchRow, took []time.Duration) {
	slices.Sort(took)
	row.P50, row.P99 = took[len(took)/2], took[len(took)*99/100]
	b.res.Rows = append(b.res.Rows, row)
}
