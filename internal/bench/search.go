package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// SearchOptions say what of searches is measured.
type SearchOptions struct {
	Executable string // the sett binary
	Data       string // directory with a filled database, or one that Setup has just prepared
	Database   string // "" or a postgres:// URL
	Token      string // of the user; the next two sign in on pages
	Email      string
	Password   string
	Notices    int64         // to fill an empty database with
	Projects   int           // that they are spread over
	Searches   int           // of each kind, unless they take longer than Most
	Most       time.Duration // that the searches of one kind may take
	Errors     io.Writer     // where the server's log goes
}

// SearchResult is what was measured.
type SearchResult struct {
	Notices  int64
	Projects int
	Filling  time.Duration // how long the notices took to send; 0 if they were there
	Load     float64       // notices a second that were accepted while intake was busy
	Rows     []SearchRow
	Memory   int64 // greatest resident set of the server, bytes
}

// SearchRow is how long the searches of one kind took under one condition.
type SearchRow struct {
	When, Kind, Through string
	Searches, Failed    int // a failed one did not return 200
	P50, P99            time.Duration
}

// filled is what a directory holds, as FilledFile says.
type filled struct {
	Notices  int64
	Token    string
	Password string
	Projects []project
	Rate     float64 // notices a second while they were sent
}

// FilledFile is in a directory that was filled.
const FilledFile = "search.json"

// searchKinds are the searches, each for a random user or value of payload.go.
var searchKinds = []struct {
	name  string
	query func(r *rand.Rand) string
}{
	{"rare", func(r *rand.Rand) string { return fmt.Sprintf("context.user_id:%d", r.IntN(users)) }},
	{"absent", func(r *rand.Rand) string { return fmt.Sprintf("context.user_id:x%x", r.Uint64()) }},
	{"frequent", func(r *rand.Rand) string { return "context.plan:" + plans[r.IntN(len(plans))] }},
	{"prefix", func(r *rand.Rand) string { return fmt.Sprintf("context.user_id:%d*", 1000+r.IntN(4000)) }},
	{"negated", func(r *rand.Rand) string { return "-context.plan:" + plans[r.IntN(len(plans))] }},
	{"combined", func(r *rand.Rand) string {
		return fmt.Sprintf("context.user_id:%d context.plan:%s hostname:web-%d", r.IntN(users), plans[r.IntN(len(plans))], r.IntN(24))
	}},
}

// searchBench measures searches of one filled database.
type searchBench struct {
	SearchOptions
	held    filled
	address string
	server  *process
	random  *rand.Rand
	res     SearchResult
}

// Search fills a database with notices, unless it is filled, and measures searches: at rest, while intake runs at a third of the rate of
// filling, and as the first thing that a server does after its start.
func Search(ctx context.Context, o SearchOptions) (res SearchResult, err error) {
	b := searchBench{SearchOptions: o, random: rand.New(rand.NewPCG(3, 4))}
	b.address, _, err = freeAddresses()
	if err != nil {
		return res, err
	}
	if err := b.start(ctx); err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, ended(b.server.stop())) }()
	if err := b.fill(ctx); err != nil {
		return res, err
	}
	if err := b.quiet(ctx); err != nil {
		return res, err
	}
	for _, measure := range []func(context.Context) error{b.rest, b.busy, b.cold} {
		if err := measure(ctx); err != nil {
			return res, err
		}
	}
	return b.res, nil
}

func (b *searchBench) start(ctx context.Context) (err error) {
	b.server, err = startProcess(ctx, b.address, "/readyz", b.Errors,
		[]string{"SETT_DATABASE=" + b.Database, "SETT_API_RATE_LIMIT=0"}, b.Executable, "serve", "--listen", b.address, "--data", b.Data, "--log-level", "warn")
	return err
}

// fill sends the notices, or reads which ones are there.
func (b *searchBench) fill(ctx context.Context) error {
	file := filepath.Join(b.Data, FilledFile)
	switch text, err := os.ReadFile(file); {
	case err == nil:
		err = json.Unmarshal(text, &b.held)
		b.res.Notices, b.res.Projects = b.held.Notices, len(b.held.Projects)
		return err
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	b.held = filled{Notices: b.Notices, Token: b.Token, Password: b.Password}
	m := manager{"http://" + b.address, b.Token}
	for n := range b.Projects {
		p, err := m.createProject(ctx, fmt.Sprintf("Search %d", n))
		if err != nil {
			return err
		}
		b.held.Projects = append(b.held.Projects, p)
	}
	l := &load{address: b.address, connections: 128, most: b.Notices, sender: b.notices().sender}
	s, err := l.run(ctx, 24*time.Hour, 1)
	if err != nil {
		return err
	}
	b.held.Rate = s.rate()
	b.res.Notices, b.res.Projects, b.res.Filling = b.held.Notices, len(b.held.Projects), s.elapsed
	text, err := json.Marshal(b.held)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

func (b *searchBench) notices() (n noticeLoad) {
	r := rand.New(rand.NewPCG(1, 2))
	for i, p := range b.held.Projects {
		n.keys, n.kinds = append(n.keys, p.Token), append(n.kinds, newKinds(r, i))
	}
	return n
}

// quiet waits until the server has done what it does after intake: until it uses less than a twentieth of a core for some seconds.
func (b *searchBench) quiet(ctx context.Context) error {
	const look, most = 2 * time.Second, 30 * time.Minute
	for calm, began := 0, time.Now(); calm < 3 && time.Since(began) < most; {
		before := b.server.cpu()
		if err := wait(ctx, look); err != nil {
			return err
		}
		calm++
		if b.server.cpu()-before > look/20 {
			calm = 0
		}
	}
	return nil
}

// rest measures searches while nothing else happens.
func (b *searchBench) rest(ctx context.Context) error { return b.all(ctx, "at rest") }

// busy measures searches while notices come in.
func (b *searchBench) busy(ctx context.Context) error {
	const connections = 16
	during, stop := context.WithCancel(ctx)
	defer stop()
	l := &load{address: b.address, connections: connections, every: time.Duration(connections * 3 / b.held.Rate * float64(time.Second)), sender: b.notices().sender}
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
	b.res.Load = sent.rate()
	b.res.Memory = b.server.memory()
	return err
}

// cold measures the first search of a server, with nothing of the files in the system's memory where that is allowed.
func (b *searchBench) cold(ctx context.Context) error {
	const starts = 3
	for _, kind := range searchKinds {
		row := SearchRow{When: "first after a start", Kind: kind.name, Through: "API"}
		var took []time.Duration
		for range starts {
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
	person, err := signInAs(ctx, "http://"+b.address, b.Email, b.held.Password)
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
		for began := time.Now(); rows[0].Searches < b.Searches && time.Since(began) < b.Most; {
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
	path := fmt.Sprintf("http://%s/v2/projects/%d/faults?q=%s", b.address, b.anyProject().ID, url.QueryEscape(query))
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
