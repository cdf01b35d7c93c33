package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"sett/internal/setttest/traffic"
)

// sett is this tree's, on SQLite.
type settProduct struct{ binary, commit string }

func (s *settProduct) name() string { return "sett " + s.commit }

// install builds the program as releases are built.
func (s *settProduct) install(ctx context.Context, dir string) error {
	s.binary = filepath.Join(dir, "sett")
	root, err := run(ctx, ".", "go", "list", "-m", "-f", "{{.Dir}}", "sett")
	if err != nil {
		return fmt.Errorf("%w (run this in e2e)", err)
	}
	tree := strings.TrimSpace(string(root))
	if _, err := run(ctx, tree, "env", "CGO_ENABLED=0", "go", "build", "-trimpath", "-o", s.binary, "./cmd/sett"); err != nil {
		return err
	}
	commit, err := run(ctx, tree, "git", "rev-parse", "--short", "HEAD")
	if err != nil {
		return err
	}
	s.commit = strings.TrimSpace(string(commit))
	return nil
}

func (s *settProduct) create(ctx context.Context, dir string) (instance, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	i := &settInstance{s: s, dir: dir, at: address}
	out, err := run(ctx, dir, s.binary, "setup", "--data", i.data(), "--email", "bench@example.test", "--project", "Bench", "--json")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(out, &i.made); err != nil {
		return nil, fmt.Errorf("read what setup has printed: %w", err)
	}
	g, err := i.start(ctx)
	if err != nil {
		return nil, err
	}
	defer g.signal(syscall.SIGTERM)
	i.projects = make([]settProject, traffic.Projects)
	for n := range i.projects {
		body := fmt.Sprintf(`{"project":{"name":"Bench %d"}}`, n)
		if err := i.call(ctx, http.MethodPost, "/v2/projects", body, &i.projects[n]); err != nil {
			return nil, err
		}
	}
	return i, nil
}

// settInstance is a sett with data.
type settInstance struct {
	s       *settProduct
	dir, at string
	made    struct {
		Account string `json:"account_id"`
		Token   string `json:"auth_token"`
	}
	projects []settProject
}

type settProject struct {
	ID    int64
	Token string // its API key
}

func (i *settInstance) data() string    { return filepath.Join(i.dir, "data") }
func (i *settInstance) address() string { return i.at }

func (i *settInstance) start(ctx context.Context) (*group, error) {
	g, log := &group{}, filepath.Join(i.dir, "output.log")
	if err := g.start(i.dir, log, []string{"SETT_API_RATE_LIMIT=0"}, i.s.binary, "serve", "--listen", i.at, "--data", i.data(), "--log-level", "warn"); err != nil {
		return nil, err
	}
	return g, serving(ctx, g, i.at, "/readyz", log)
}

func (i *settInstance) requests(notices []traffic.Notice) ([]request, error) {
	all := make([]request, len(notices))
	for n, notice := range notices {
		all[n] = newRequest("/v1/notices", i.at, notice.Body, "Content-Type", "application/json", "X-API-Key", i.projects[notice.Project].Token)
	}
	return all, nil
}

// progress asks the account for its counts, which appear after the notices themselves.
func (i *settInstance) progress(ctx context.Context) (stored, waiting int, err error) {
	var account struct {
		Stats struct{ Stored [][2]int } `json:"api_stats"`
	}
	err = i.call(ctx, http.MethodGet, "/v2/accounts/"+i.made.Account, "", &account)
	for _, day := range account.Stats.Stored {
		stored += day[1]
	}
	return stored, 0, err
}

// ids reads all notices of all faults of all projects.
func (i *settInstance) ids(ctx context.Context) (map[string]bool, error) {
	all := map[string]bool{}
	for _, p := range i.projects {
		faults, err := list[struct{ ID int64 }](ctx, i, fmt.Sprintf("/v2/projects/%d/faults", p.ID))
		if err != nil {
			return nil, err
		}
		for _, f := range faults {
			notices, err := list[struct{ ID string }](ctx, i, fmt.Sprintf("/v2/projects/%d/faults/%d/notices", p.ID, f.ID))
			if err != nil {
				return nil, err
			}
			for _, n := range notices {
				all[plainID(n.ID)] = true
			}
		}
	}
	return all, nil
}

// list returns everything in a list of the API, from all its pages.
func list[T any](ctx context.Context, i *settInstance, path string) (all []T, err error) {
	for path != "" {
		var page struct {
			Results []T
			Links   struct{ Next string }
		}
		if err := i.call(ctx, http.MethodGet, path, "", &page); err != nil {
			return nil, err
		}
		all = append(all, page.Results...)
		path = page.Links.Next
		if scheme := strings.Index(path, "://"); scheme >= 0 {
			_, path, _ = strings.Cut(path[scheme+3:], "/")
			path = "/" + path
		}
	}
	return all, nil
}

// call sends a request to the API, and reads the answer into v.
func (i *settInstance) call(ctx context.Context, method, path, body string, v any) error {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+i.at+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.SetBasicAuth(i.made.Token, "")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: status %d %s", method, path, answer.StatusCode, text)
	}
	return json.Unmarshal(text, v)
}

func (i *settInstance) disk() (int64, error) { return diskBytes(i.data()) }

// serving waits until a server answers at a path. The log is quoted if it does not.
func serving(ctx context.Context, g *group, address, path, log string) error {
	for began := time.Now(); time.Since(began) < time.Minute; {
		if name := g.exited(); name != "" {
			g.signal(syscall.SIGKILL)
			return fmt.Errorf("%s exited; see %s", name, log)
		}
		if answer, err := http.Get("http://" + address + path); err == nil {
			answer.Body.Close()
			if answer.StatusCode < 500 {
				return nil
			}
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			break
		}
	}
	g.signal(syscall.SIGKILL)
	return fmt.Errorf("nothing serves at %s; see %s", address, log)
}
