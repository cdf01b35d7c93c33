package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"sett/internal/setttest/traffic"
)

// bugsinkPackages are Bugsink and what it needs, at fixed versions from PyPI.
//
//go:embed bugsink.txt
var bugsinkPackages string

// bugsinkSettings are added to the settings that Bugsink makes for a single server: no limits, and no report to its makers.
const bugsinkSettings = `
BUGSINK["PHONEHOME"] = False
for period in ("5_MINUTES", "HOUR", "MONTH"):
    BUGSINK["MAX_EVENTS_PER_" + period] = BUGSINK["MAX_EVENTS_PER_PROJECT_PER_" + period] = 1_000_000_000
`

// bugsinkProjects makes projects, and prints their ids and keys.
const bugsinkProjects = `
import json
from teams.models import Team
from projects.models import Project
team = Team.objects.create(name="Bench")
made = [Project.objects.create(name="Bench %%d" %% i, team=team, retention_max_event_count=1_000_000_000) for i in range(%d)]
print("projects " + json.dumps([{"ID": p.id, "Key": p.sentry_key.hex} for p in made]))
`

// bugsinkCounts prints how many events are stored, and how many tasks wait or are running: each event is in a file until it is stored.
const bugsinkCounts = `
import sqlite3, os
count = lambda file, table: sqlite3.connect("file:%s?mode=ro" % file, uri=True, timeout=30).execute("SELECT count(*) FROM " + table).fetchone()[0]
print(count("db.sqlite3", "events_event"), count("snappea.sqlite3", "snappea_task"))
`

const bugsinkIDs = `
import sqlite3
for row in sqlite3.connect("file:db.sqlite3?mode=ro", uri=True, timeout=30).execute("SELECT event_id FROM events_event"):
    print(row[0])
`

// bugsink is Bugsink on SQLite, served by gunicorn, with its own background process snappea.
type bugsink struct {
	python string // that makes the environment
	venv   string
}

func (b *bugsink) name() string {
	version, _, _ := strings.Cut(bugsinkPackages, "\n")
	return "Bugsink " + strings.TrimPrefix(version, "bugsink==")
}

func (b *bugsink) install(ctx context.Context, dir string) error {
	b.venv = filepath.Join(dir, "bugsink")
	if _, err := os.Stat(b.program("gunicorn")); err == nil {
		return nil // by an earlier run
	}
	if _, err := run(ctx, dir, b.python, "-m", "venv", b.venv); err != nil {
		return fmt.Errorf("%w (on Debian: apt-get install python3-venv)", err)
	}
	list := filepath.Join(dir, "bugsink.txt")
	if err := os.WriteFile(list, []byte(bugsinkPackages), 0o600); err != nil {
		return err
	}
	_, err := run(ctx, dir, b.program("pip"), "install", "--quiet", "--requirement", list)
	return err
}

func (b *bugsink) program(name string) string { return filepath.Join(b.venv, "bin", name) }

func (b *bugsink) create(ctx context.Context, dir string) (instance, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	i := &bugsinkInstance{b: b, dir: dir, at: address}
	if _, err := run(ctx, dir, b.program("bugsink-create-conf"), "--template=singleserver", "--host=127.0.0.1", "--base-dir="+dir); err != nil {
		return nil, err
	}
	settings := filepath.Join(dir, "bugsink_conf.py")
	text, err := os.ReadFile(settings)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(settings, append(text, bugsinkSettings...), 0o600); err != nil {
		return nil, err
	}
	for _, migration := range [][]string{{"migrate"}, {"migrate", "snappea", "--database=snappea"}} {
		if _, err := run(ctx, dir, b.program("bugsink-manage"), append(migration, "--verbosity=0")...); err != nil {
			return nil, err
		}
	}
	out, err := run(ctx, dir, b.program("bugsink-manage"), "shell", "--command", fmt.Sprintf(bugsinkProjects, traffic.Projects))
	if err != nil {
		return nil, err
	}
	_, made, found := bytes.Cut(out, []byte("projects "))
	if !found {
		return nil, fmt.Errorf("bugsink did not print its projects, but: %s", out)
	}
	return i, json.Unmarshal(made, &i.projects)
}

// bugsinkInstance is a Bugsink with data.
type bugsinkInstance struct {
	b        *bugsink
	dir, at  string
	projects []struct {
		ID  int
		Key string
	}
}

func (i *bugsinkInstance) address() string { return i.at }

// start starts gunicorn with the configuration that the package has for containers: a worker for each core, up to four.
func (i *bugsinkInstance) start(ctx context.Context) (*group, error) {
	found, err := filepath.Glob(filepath.Join(i.b.venv, "lib", "*", "site-packages", "bugsink", "gunicorn.docker.conf.py"))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("gunicorn.docker.conf.py is not in Bugsink's package: %v %w", found, err)
	}
	g, log := &group{}, filepath.Join(i.dir, "output.log")
	for _, command := range [][]string{
		{i.b.program("gunicorn"), "--config", found[0], "--bind", i.at, "bugsink.wsgi"},
		{i.b.program("bugsink-runsnappea")},
	} {
		if err := g.start(i.dir, log, []string{"PYTHONUNBUFFERED=1"}, command...); err != nil {
			g.signal(syscall.SIGKILL)
			return nil, err
		}
	}
	return g, serving(ctx, g, i.at, "/", log)
}

// requests are envelopes with random ids.
func (i *bugsinkInstance) requests(notices []traffic.Notice) ([]request, error) {
	all := make([]request, len(notices))
	for n, notice := range notices {
		var id [16]byte
		for b := range id {
			id[b] = byte(rand.Uint32())
		}
		body, err := envelope(notice.Body, hex.EncodeToString(id[:]), time.Now())
		if err != nil {
			return nil, err
		}
		p := i.projects[notice.Project]
		all[n] = newRequest(fmt.Sprintf("/api/%d/envelope/", p.ID), i.at, body, "Content-Type", "application/x-sentry-envelope",
			"X-Sentry-Auth", "Sentry sentry_version=7, sentry_client=sentry-ruby/5.23.0, sentry_key="+p.Key)
	}
	return all, nil
}

func (i *bugsinkInstance) progress(ctx context.Context) (stored, waiting int, err error) {
	out, err := run(ctx, i.dir, i.b.program("python"), "-I", "-S", "-c", bugsinkCounts)
	if err != nil {
		return 0, 0, err
	}
	_, err = fmt.Sscan(string(out), &stored, &waiting)
	return stored, waiting, err
}

func (i *bugsinkInstance) ids(ctx context.Context) (map[string]bool, error) {
	out, err := run(ctx, i.dir, i.b.program("python"), "-I", "-S", "-c", bugsinkIDs)
	all := map[string]bool{}
	for id := range strings.FieldsSeq(string(out)) {
		all[plainID(id)] = true
	}
	return all, err
}

func (i *bugsinkInstance) disk() (int64, error) { return diskBytes(i.dir, ".log") }

// run runs a command to its end and returns its standard output.
func run(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var errors bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = dir, environment(), &errors
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, errors.Bytes())
	}
	return out, nil
}
