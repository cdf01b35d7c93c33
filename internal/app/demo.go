package app

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"sett/internal/app/demo"
	"sett/internal/base/loop"
	"sett/internal/base/progress"
	"sett/internal/notify"
	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/store"
)

// The credentials of the owner of a demo.
const (
	DemoEmail    = demo.Email
	DemoPassword = "sett-demo-password"
)

// DemoOptions say which made-up data are served, and how.
type DemoOptions struct {
	Seed  uint64
	Now   time.Time // where the clock stands still; zero: it runs
	Scale int       // 0 is 1
	Live  bool      // it goes on: the clock runs, from Now where that is given
	Data  string    // directory; "" for a temporary one
	Short bool      // it is of a few days and few notices, for tests
}

// demoFile is where a directory keeps what its demo was made of.
const demoFile = "demo.json"

// madeDemo is what a data directory of a demo holds.
type madeDemo struct {
	demo.Options
	Summary demo.Summary `json:"made"`
}

// demonstration is what an App has in addition when it shows a demo. Such an App neither checks sites nor sends
// notifications.
type demonstration struct {
	DemoOptions
	madeDemo
	secret string    // of the link that signs in
	began  time.Time // by the system's clock
	base   time.Time // by its own
}

// Demo is a demo that is served.
type Demo struct {
	*App
	temporary string // directory that goes with it; "" for none
}

// NewDemo makes data up, unless the directory holds those of the same options, and returns an App that serves them once
// it is started. Of the settings only addresses and the log count. A directory that holds anything else is a Conflict
// error.
func NewDemo(ctx context.Context, cfg Config, o DemoOptions, log *slog.Logger) (d *Demo, err error) {
	d = &Demo{}
	if cfg.Data = o.Data; o.Data == "" {
		if cfg.Data, err = os.MkdirTemp("", "sett-demo-"); err != nil {
			return nil, err
		}
		d.temporary = cfg.Data
	}
	if d.App, err = newDemoApp(ctx, cfg.ofDemo(), o, log); err != nil {
		return nil, errors.Join(cfg.ofDemo().Explain(err), d.remove())
	}
	return d, nil
}

// ofDemo leaves out what a demo has no use for: it sends no mail, knows no other way to sign in, and has a file of its own.
func (c Config) ofDemo() Config {
	c.Database, c.SMTPURL, c.MailFrom, c.SignIn, c.MonthlyQuota, c.ProjectThrottle = "", "", "", SignIn{}, 0, 0
	c.Location, c.APIRateLimit = noLocation, 0
	return c
}

func newDemoApp(ctx context.Context, cfg Config, o DemoOptions, log *slog.Logger) (*App, error) {
	d := &demonstration{DemoOptions: o, secret: sett.NewWebSecret(), began: time.Now()}
	d.Options = demo.Options{Seed: o.Seed, Now: o.Now, Scale: max(o.Scale, 1), Password: auth.HashPassword(DemoPassword), Short: o.Short}
	found, err := d.find(cfg.Data)
	if err != nil {
		return nil, err
	}
	if !found && o.Now.IsZero() {
		d.Options.Now = d.began.UTC().Truncate(time.Second)
	}
	if d.base = d.Options.Now; o.Now.IsZero() {
		d.base = d.began
	}
	a, err := New(ctx, cfg, log, WithClock(d.clock), func(a *App) { a.demo = d })
	if err != nil || found {
		return a, err
	}
	if err := d.fill(ctx, a, cfg.Data); err != nil {
		return nil, errors.Join(err, a.Stop(context.WithoutCancel(ctx)))
	}
	return a, nil
}

// clock is that of a demo: it stands still where the options name a time and nothing goes on.
func (d *demonstration) clock() time.Time {
	if !d.DemoOptions.Now.IsZero() && !d.Live {
		return d.base
	}
	return d.base.Add(time.Since(d.began))
}

// find reads what a directory holds, and reports whether that is a demo of the same options.
func (d *demonstration) find(dir string) (bool, error) {
	var had madeDemo
	text, err := os.ReadFile(filepath.Join(dir, demoFile))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(dir, "sett.db")); err == nil {
			return false, sett.Errorf(sett.Conflict, "the directory %s contains a database that is not a demo, or an incomplete demo; choose an empty directory with --data", dir)
		}
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &had)
	}
	if err != nil {
		return false, fmt.Errorf("the file %s in %s cannot be read; choose an empty directory with --data", demoFile, dir)
	}
	if had.Seed != d.Options.Seed || had.Options.Scale != d.Options.Scale || !d.DemoOptions.Now.IsZero() && !had.Options.Now.Equal(d.DemoOptions.Now) {
		return false, sett.Errorf(sett.Conflict, "the directory %s contains the demo of --seed %d --scale %d --now %s; use the same options, or choose an empty directory with --data",
			dir, had.Seed, had.Options.Scale, had.Options.Now.Format(time.RFC3339))
	}
	had.Password = d.Password
	d.madeDemo = had
	return true, nil
}

// fill makes the data up and notes in the directory what they were made of.
func (d *demonstration) fill(ctx context.Context, a *App, dir string) (err error) {
	a.log.Info("creating the sample data; a link to the demo follows")
	o := d.Options
	composer := notify.Composer{Sheets: a.store.Sheets, BaseURL: a.cfg.BaseURL, ReportURL: a.cfg.ReportURL}
	o.Write = composer.Write
	if d.Summary, err = demo.Fill(ctx, a.store, o); err != nil {
		return err
	}
	if err := d.compact(ctx, a); err != nil {
		return err
	}
	text, err := json.MarshalIndent(d.madeDemo, "", "\t")
	if err != nil {
		return err
	}
	a.log.Info("the demo is ready", "events", d.Summary.Notices, "errors", d.Summary.Faults, "duration_ms", time.Since(d.began).Milliseconds())
	return os.WriteFile(filepath.Join(dir, demoFile), text, 0o600)
}

// compact moves the events of a large demo into blocks, as a server does while it runs. A demo does not do that, and one of the usual size has no
// need for it.
func (d *demonstration) compact(ctx context.Context, a *App) error {
	if d.Options.Scale < 2 {
		return nil
	}
	defer progress.Begin(ctx, "compacting the sample data", progress.Blocks, 0).End()
	o := store.Purge{Now: a.now, Holder: a.node(), Rest: func(context.Context, time.Duration) error { return nil }}
	if _, err := a.store.Compact(ctx, o); err != nil {
		return err
	}
	_, err := a.store.PackInsights(ctx, o)
	return err
}

// Link is where a visitor is signed in as the owner.
func (d *Demo) Link() string { return d.BaseURL() + "/demo/" + d.demo.secret }

// Made names what is in the data.
func (d *Demo) Made() demo.Summary { return d.demo.Summary }

// Stop is that of App; data in a temporary directory are removed.
func (d *Demo) Stop(ctx context.Context) error { return errors.Join(d.App.Stop(ctx), d.remove()) }

func (d *Demo) remove() error {
	if d.temporary == "" {
		return nil
	}
	return os.RemoveAll(d.temporary)
}

// demoRoutes are there in a demo alone.
func (a *App) demoRoutes(sessions *auth.Sessions) []serve.Route {
	if a.demo == nil {
		return nil
	}
	return []serve.Route{{
		Method: "GET", Path: "/demo/{token}", Name: "demo", Tag: "Pages", Permission: accounts.Public, Media: "text/html",
		Doc: "Sign in as the owner of the demo.",
		Handle: func(w http.ResponseWriter, r *http.Request) error {
			if subtle.ConstantTimeCompare([]byte(r.PathValue("token")), []byte(a.demo.secret)) != 1 {
				return sett.Errorf(sett.NotFound, "This link is not valid. Use the link that was printed when the demo started.")
			}
			owner := accounts.User{ID: a.demo.Summary.OwnerID}
			if err := sessions.Begin(w, r, owner, signin.Way{How: signin.ByInvitation}, ""); err != nil {
				return err
			}
			w.Header().Set("Referrer-Policy", "no-referrer")
			http.Redirect(w, r, a.cfg.BaseURL+"/", http.StatusSeeOther)
			return nil
		},
	}}
}

// goingOn is the loop in which a demo goes on, where that was asked for.
func (a *App) goingOn() ([]*loop.Loop, error) {
	if !a.demo.Live {
		return nil, nil
	}
	l, err := demo.NewLive(context.Background(), a.store, a.demo.Options, a.demo.Summary, a.now())
	if err != nil {
		return nil, err
	}
	work := func(ctx context.Context) (more bool, err error) { return false, l.Step(ctx, a.now()) }
	return []*loop.Loop{{Name: "demo", Does: "Generates new data in the demo.", Every: time.Second, Log: a.log, Work: work}}, nil
}
