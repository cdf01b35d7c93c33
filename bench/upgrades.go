package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// UpgradesOptions say which upgrades are measured, of a server that began with the first program and took each later one.
type UpgradesOptions struct {
	Executable string        // the sett binary that the databases are upgraded to
	Programs   string        // directory with the binaries of earlier versions, each named after the version of its schema
	Data       string        // directory for the databases; a walk that was interrupted goes on in it
	Keeps      bool          // what was made is left, for programs that come later
	Postgres   string        // "" for SQLite, or the postgres:// URL of a superuser, who may make databases
	Notices    int64         // that the first program stores
	More       int64         // that each later one stores
	Most       time.Duration // that pages are asked for while work goes on in the background
	Errors     io.Writer
}

// Upgrade is what was measured of one.
type Upgrade struct {
	Schema              int64
	Notices             int64
	Took, CPU           time.Duration // of sett migrate
	Before, Peak, After int64         // bytes on the disk
	Copy                int64         // bytes of the copy that was made before; 0: none
	Settling            time.Duration // of the server, until nothing goes on in the background
	SettlingCPU         time.Duration
	Unfinished          int64         // what was left of it when it had taken too long to wait
	Probes              []Probe       // what was asked meanwhile
	Backup, Back        time.Duration // of going back: the backup before, of PostgreSQL, and until the earlier program served again
}

// walk is a server that takes one version after another.
type walk struct {
	UpgradesOptions
	at walked
}

// walked is what a walk has come to.
type walked struct {
	Filled
	Schema   int64
	Measured bool          // the upgrade from it
	Listed   []listedFault // by the program of this schema
}

// listedFault is what the API lists of an error in every version.
type listedFault struct {
	ID      int64 `json:"id"`
	Notices int64 `json:"notices_count"`
}

// walkedFile is where a walk keeps what it has come to.
const walkedFile = "walked.json"

// Upgrades takes a server from the first version to the last, and measures from each the upgrade to the present one. It calls each with the figures.
func Upgrades(ctx context.Context, o UpgradesOptions, each func(Upgrade) error) (err error) {
	w := &walk{UpgradesOptions: o}
	text, err := os.ReadFile(filepath.Join(o.Data, walkedFile))
	if err == nil {
		err = json.Unmarshal(text, &w.at)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	schemas, err := w.schemas()
	if err != nil {
		return err
	}
	if !o.Keeps {
		defer func() { err = errors.Join(err, w.place("walk").remove(ctx)) }()
	}
	for _, schema := range schemas {
		if schema < w.at.Schema || schema == w.at.Schema && w.at.Measured {
			continue
		}
		if schema > w.at.Schema {
			if err := w.take(ctx, schema); err != nil {
				return fmt.Errorf("schema %d: %w", schema, err)
			}
		}
		if err := w.note(false); err != nil {
			return err
		}
		u, err := w.measure(ctx)
		if err != nil {
			return fmt.Errorf("upgrade of schema %d: %w", schema, err)
		}
		if err := each(u); err != nil {
			return err
		}
		if err := w.note(true); err != nil {
			return err
		}
	}
	return nil
}

// note keeps what the walk has come to, for one that goes on.
func (w *walk) note(measured bool) error {
	w.at.Measured = measured
	text, err := json.Marshal(w.at)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(w.Data, walkedFile), text, 0o600)
}

// schemas returns the versions of the schema that there are programs of.
func (w *walk) schemas() (all []int64, err error) {
	entries, err := os.ReadDir(w.Programs)
	for _, e := range entries {
		if n, failed := strconv.ParseInt(e.Name(), 10, 64); failed == nil {
			all = append(all, n)
		}
	}
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s has no programs; make them with e2e/deploy/testdata/upgrades/make.py --programs %[1]s", w.Programs)
	}
	slices.Sort(all)
	return all, err
}

func (w *walk) program(schema int64) string {
	return filepath.Join(w.Programs, strconv.FormatInt(schema, 10))
}

func (w *walk) place(name string) place {
	return place{dir: filepath.Join(w.Data, name), server: w.Postgres, name: "sett_bench_" + name}
}

// take brings the server to the version with a schema, and sends it notices.
func (w *walk) take(ctx context.Context, schema int64) error {
	program, at, notices := w.program(schema), w.place("walk"), w.More
	if w.at.Schema == 0 {
		notices = w.Notices
		if err := w.setUp(ctx, program, at); err != nil {
			return err
		}
	} else if _, err := at.sett(ctx, program, "migrate"); err != nil {
		return err
	}
	if err := at.removeCopies(); err != nil {
		return err
	}
	w.at.Schema = schema
	return w.served(ctx, program, at, func(server *process) error {
		m := manager{"http://" + server.address, w.at.Token}
		for n := len(w.at.Projects); n < projectsWalked; n++ {
			p, err := m.createProject(ctx, fmt.Sprintf("Filled %d", n))
			if err != nil {
				return err
			}
			w.at.Projects = append(w.at.Projects, p)
		}
		l := &load{address: server.address, connections: 32, most: notices, sender: w.at.load().sender}
		if _, err := l.run(ctx, 24*time.Hour, uint64(schema)); err != nil {
			return err
		}
		w.at.Notices += notices
		for left := int64(1); left > 0; {
			err := server.quiet(ctx, notices)
			if err == nil {
				left, err = at.pending(ctx)
			}
			if err != nil {
				return err
			}
		}
		var err error
		w.at.Listed, err = w.at.list(ctx, m)
		return err
	})
}

// projectsWalked is how many projects the notices are of.
const projectsWalked = 10

func (w *walk) setUp(ctx context.Context, program string, at place) error {
	if _, err := os.Stat(at.dir); err == nil {
		return fmt.Errorf("%s is left of a measurement that was interrupted while it was filled; remove it, or choose another --data", at.dir)
	}
	if err := at.make(ctx); err != nil {
		return err
	}
	w.at.Email, w.at.Password = "owner@bench.example", "a password for benchmarks"
	out, err := at.sett(ctx, program, "setup", "--json", "--email", w.at.Email, "--password", w.at.Password)
	if err != nil {
		return err
	}
	var made struct {
		Token string `json:"auth_token"`
	}
	err = json.Unmarshal(out, &made)
	w.at.Token = made.Token
	return err
}

// served calls do while a program serves a database.
func (w *walk) served(ctx context.Context, program string, at place, do func(*process) error) (err error) {
	server, err := FillOptions{Executable: program, Data: at.dir, Database: at.database(), Errors: w.Errors}.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ended(server.stop())) }()
	return do(server)
}

// list returns the errors that a server lists first, of each project.
func (f Filled) list(ctx context.Context, m manager) (all []listedFault, err error) {
	for _, p := range f.Projects {
		var page struct{ Results []listedFault }
		if err := m.do(ctx, http.MethodGet, fmt.Sprintf("/v2/projects/%d/faults?order=frequent", p.ID), struct{}{}, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Results...)
	}
	slices.SortFunc(all, func(a, b listedFault) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}

// measure upgrades a copy of the database to the present version, asks for pages while work goes on, and goes back.
func (w *walk) measure(ctx context.Context) (u Upgrade, err error) {
	measured, back := w.place("measured"), w.place("back")
	defer func() { err = errors.Join(err, measured.remove(ctx), back.remove(ctx)) }()
	if err := w.place("walk").copyTo(ctx, measured); err != nil {
		return u, err
	}
	u = Upgrade{Schema: w.at.Schema, Notices: w.at.Notices}
	backup, began := filepath.Join(measured.dir, "before.dump"), time.Now()
	if w.Postgres != "" { // the first versions have no sett backup for it
		if err := measured.postgresTool(ctx, "pg_dump", "--format=custom", "--compress=1", "--file", backup); err != nil {
			return u, err
		}
		u.Backup = time.Since(began)
	}
	if err := w.upgrade(ctx, measured, &u); err != nil {
		return u, err
	}
	if err := w.settle(ctx, measured, &u); err != nil {
		return u, err
	}
	return u, w.goBack(ctx, measured, back, backup, &u)
}

// upgrade runs sett migrate, and looks how much space it takes.
func (w *walk) upgrade(ctx context.Context, at place, u *Upgrade) (err error) {
	if u.Before, err = at.bytes(ctx); err != nil {
		return err
	}
	cmd := at.command(ctx, w.Executable, "migrate")
	seen := at.watch(ctx)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	u.Took = time.Since(began)
	peak, elsewhere := seen()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	u.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() + elsewhere
	if about, err := os.Stat(at.copyOf(u.Schema)); err == nil {
		u.Copy = about.Size()
	}
	u.After, err = at.bytes(ctx)
	u.Peak = max(peak, u.After)
	return err
}

// settle serves the database until nothing goes on in the background, and asks for pages meanwhile.
func (w *walk) settle(ctx context.Context, at place, u *Upgrade) error {
	return w.served(ctx, w.Executable, at, func(server *process) error {
		began := time.Now()
		p, err := w.at.prober(ctx, server)
		if err != nil {
			return err
		}
		last := began // when something went on
		const look = time.Second
		for calm := 0; calm < 3 && time.Since(began) < w.Most; calm++ {
			if err := p.probe(ctx, 4*time.Second); err != nil {
				return err
			}
			before := server.cpu()
			if err := wait(ctx, look); err != nil {
				return err
			}
			left, err := at.pending(ctx)
			if err != nil {
				return err
			}
			if u.Unfinished = left; left > 0 || server.cpu()-before > look/50 {
				calm, last = -1, time.Now()
			}
		}
		u.Settling, u.SettlingCPU, u.Probes = last.Sub(began), server.cpu(), p.probes
		return nil
	})
}

// goBack has the earlier program serve the copy that was made, or a backup of PostgreSQL, and compares what it lists.
func (w *walk) goBack(ctx context.Context, from, back place, backup string, u *Upgrade) (err error) {
	if w.Postgres == "" && u.Copy == 0 {
		return nil // the schema is the present one
	}
	began := time.Now()
	if err := back.make(ctx); err != nil {
		return err
	}
	if err := from.copySmall(back); err != nil {
		return err
	}
	program := w.program(u.Schema)
	if w.Postgres != "" {
		err = back.postgresTool(ctx, "pg_restore", backup)
	} else {
		err = os.Rename(from.copyOf(u.Schema), filepath.Join(back.dir, "sett.db"))
	}
	if err != nil {
		return err
	}
	return w.served(ctx, program, back, func(server *process) error {
		u.Back = time.Since(began)
		now, err := w.at.list(ctx, manager{"http://" + server.address, w.at.Token})
		if err == nil && !slices.Equal(now, w.at.Listed) {
			err = fmt.Errorf("the earlier program lists %d errors that are not the %d that it listed", len(now), len(w.at.Listed))
		}
		return err
	})
}

// command returns a command of a program on the database.
func (p place) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, append(args, "--data", p.dir)...)
	cmd.Env = append(os.Environ(), "SETT_DATABASE="+p.database())
	return cmd
}

// sett runs such a command and returns what it prints.
func (p place) sett(ctx context.Context, program string, args ...string) ([]byte, error) {
	out, err := p.command(ctx, program, args...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("sett %s: %w: %s", args[0], err, exit.Stderr)
	}
	return out, err
}
