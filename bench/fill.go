package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"sett/internal/setttest/traffic"
)

// FillOptions say what a database is filled with.
type FillOptions struct {
	Executable string // the sett binary
	Data       string // directory that is filled, or that Setup has just prepared
	Database   string // "" or a postgres:// URL
	Token      string // of the user; the next two sign in on pages
	Email      string
	Password   string
	Notices    int64     // to fill an empty database with
	Projects   int       // that they are spread over
	Errors     io.Writer // where the server's log goes
}

// Filled is what a directory was filled with.
type Filled struct {
	Notices                int64
	Token, Email, Password string
	Projects               []project
	Rate                   float64 // notices a second while they were sent
}

// FilledFile is the name of a file in a directory that was filled, which describes what with.
const FilledFile = "filled.json"

// Fill sends notices to a new server, unless the directory was filled, and waits until it has done what follows.
func Fill(ctx context.Context, o FillOptions) (f Filled, err error) {
	file := filepath.Join(o.Data, FilledFile)
	switch text, err := os.ReadFile(file); {
	case err == nil:
		return f, json.Unmarshal(text, &f)
	case !errors.Is(err, fs.ErrNotExist):
		return f, err
	}
	server, err := o.serve(ctx)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, ended(server.stop())) }()
	f = Filled{Notices: o.Notices, Token: o.Token, Email: o.Email, Password: o.Password}
	for n := range o.Projects {
		p, err := manager{"http://" + server.address, o.Token}.createProject(ctx, fmt.Sprintf("Filled %d", n))
		if err != nil {
			return f, err
		}
		f.Projects = append(f.Projects, p)
	}
	l := &load{address: server.address, connections: 128, most: o.Notices, sender: f.load().sender}
	s, err := l.run(ctx, 24*time.Hour, 1)
	if err != nil {
		return f, err
	}
	f.Rate = s.rate()
	if err := server.quiet(ctx, o.Notices); err != nil {
		return f, err
	}
	return f, f.write(o.Data)
}

// write describes what a directory is filled with, for a later Fill.
func (f Filled) write(dir string) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, FilledFile), text, 0o600)
}

// serve starts a server of the directory.
func (o FillOptions) serve(ctx context.Context) (*process, error) {
	address, _, err := freeAddresses()
	if err != nil {
		return nil, err
	}
	return startProcess(ctx, address, "/readyz", o.Errors, []string{"SETT_DATABASE=" + o.Database, "SETT_API_RATE_LIMIT=0"},
		o.Executable, "serve", "--listen", address, "--data", o.Data, "--log-level", "warn")
}

// load are notices like those that are there.
func (f Filled) load() (n noticeLoad) {
	r := rand.New(rand.NewPCG(1, 2))
	for i, p := range f.Projects {
		n.keys, n.ids, n.kinds = append(n.keys, p.Token), append(n.ids, p.ID), append(n.kinds, traffic.Kinds(r, i))
	}
	return n
}

// quiet waits until the process has done what follows a load of so many notices: until it uses less than a fortieth of a core for some
// seconds. Compaction on a busy machine uses a twentieth; an idle server uses a hundredth of a slow one.
func (p *process) quiet(ctx context.Context, notices int64) error {
	const look = 2 * time.Second
	most := time.Minute + time.Duration(notices)*time.Millisecond
	for calm, began := 0, time.Now(); calm < 3 && time.Since(began) < most; {
		before := p.cpu()
		if err := wait(ctx, look); err != nil {
			return err
		}
		calm++
		if p.cpu()-before > look/40 {
			calm = 0
		}
	}
	return nil
}
