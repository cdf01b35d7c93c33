package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"time"
)

// ImportOptions say what is imported, beside FillOptions, of which no notices are sent.
type ImportOptions struct {
	FillOptions
	Issues, Events int // of the source, and of each issue
}

// ImportResult is how an import went, and how requests went before and beside it.
type ImportResult struct {
	Errors, NewEvents int64
	Took              time.Duration
	CPU               time.Duration // of the command
	Memory            int64         // of the command, its greatest resident set in bytes
	Before, Beside    []Probe
}

// Import serves a database, imports from a source on this machine, and asks for pages and sends events before and beside it.
func Import(ctx context.Context, o ImportOptions) (r ImportResult, err error) {
	server, err := o.serve(ctx)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, ended(server.stop())) }()
	f := Filled{Token: o.Token, Email: o.Email, Password: o.Password}
	p, err := manager{"http://" + server.address, o.Token}.createProject(ctx, "Busy")
	if err != nil {
		return r, err
	}
	f.Projects = []project{p}
	l := &load{address: server.address, connections: 8, most: 2000, sender: f.load().sender}
	if _, err := l.run(ctx, time.Hour, 1); err != nil {
		return r, err
	}
	before, err := f.prober(ctx, server)
	if err != nil {
		return r, err
	}
	if err := before.probe(ctx, probeBefore); err != nil {
		return r, err
	}
	beside, err := f.prober(ctx, server)
	if err != nil {
		return r, err
	}
	if err := o.run(ctx, beside, &r); err != nil {
		return r, err
	}
	r.Before, r.Beside = before.probes, beside.probes
	return r, nil
}

// probeBefore is how long requests are sent before an import.
const probeBefore = 10 * time.Second

// run imports, and sends requests until that has ended.
func (o ImportOptions) run(ctx context.Context, p *prober, r *ImportResult) error {
	from := httptest.NewServer(source{o.Issues, o.Events, time.Now().UTC()})
	defer from.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.Executable, "import", "sentry", "--url", from.URL, "--org", "acme", "--events", fmt.Sprint(o.Events), "--token", "any", "--json", "--data", o.Data)
	cmd.Env, cmd.Stderr = append(os.Environ(), "SETT_DATABASE="+o.Database), o.Errors
	probing, ended := context.WithCancel(ctx)
	defer ended()
	var out []byte
	var failed error
	began := time.Now()
	go func() {
		defer ended()
		out, failed = cmd.Output()
		r.Took = time.Since(began)
	}()
	for probing.Err() == nil {
		if err := p.probe(ctx, time.Second); err != nil {
			return err
		}
	}
	if failed != nil {
		return fmt.Errorf("sett import: %w: %s", failed, out)
	}
	r.CPU, r.Memory = cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), processMemory(cmd.ProcessState)
	var report struct {
		Came []struct {
			Noun string `json:"noun"`
			Made int64  `json:"made"`
		} `json:"came"`
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return err
	}
	for _, c := range report.Came {
		switch c.Noun {
		case "errors":
			r.Errors = c.Made
		case "events":
			r.NewEvents = c.Made
		}
	}
	return nil
}
