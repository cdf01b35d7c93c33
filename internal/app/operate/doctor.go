package operate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/db"
)

// Verdict is the result of a check.
type Verdict string

// The verdicts, from good to bad.
const (
	Fine  Verdict = "ok"
	Warn  Verdict = "warn" // it works, but not as it should, or not for long
	Fails Verdict = "fail" // it does not work, or may lose what it was given
)

// Finding is one thing that was checked.
type Finding struct {
	Check   string  `json:"check"`
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"` // what was found, and behind a semicolon what to do
}

// doctor runs one check after the other.
type doctor struct {
	Installation
	now      time.Time
	store    *store.Store // nil: it could not be opened
	served   bool         // a server runs on it
	findings []Finding
}

// Doctor checks everything that a server with these settings needs, whether it runs or not, and changes nothing. There is a
// finding for each check, in the order in which to fix them.
func Doctor(ctx context.Context, in Installation) ([]Finding, error) {
	d := &doctor{Installation: in, now: time.Now()}
	d.directory()
	d.open(ctx)
	if d.store != nil {
		for _, look := range []func(context.Context){d.schema, d.secrets, d.users, d.clock, d.durable, d.replica, d.running, d.backups, d.agents} {
			look(ctx)
		}
	}
	for _, look := range []func(context.Context){d.spool, d.objects, d.ports, d.baseURL, d.names, d.egress, d.canaries, d.mail} {
		look(ctx)
	}
	if d.store == nil {
		return d.findings, nil
	}
	return d.findings, d.store.Close()
}

func (d *doctor) found(check string, v Verdict, format string, args ...any) {
	d.findings = append(d.findings, Finding{check, v, fmt.Sprintf(format, args...)})
}

// failed notes what an error says, as far as there is one.
func (d *doctor) failed(check string, err error) bool {
	if err != nil {
		d.found(check, Fails, "%v", d.Explain(err))
	}
	return err != nil
}

// open opens the database, which is not made.
func (d *doctor) open(ctx context.Context) {
	s, err := store.Open(ctx, d.existing())
	if sett.CodeOf(err) == sett.NotFound {
		d.found("database", Warn, "%s has no database yet; sett serve or sett setup creates it", d.Dir)
		return
	}
	if d.failed("database", err) {
		return
	}
	d.store = s
	size, err := s.DiskBytes(ctx)
	if err == nil {
		err = s.Sound(ctx)
	}
	if !d.failed("database", err) {
		d.found("database", Fine, "%s responds, %s", s.Engine(), Size(size))
	}
}

func (d *doctor) schema(ctx context.Context) {
	has, err := d.store.SchemaVersion(ctx)
	newest := db.NewestSchema()
	switch {
	case d.failed("schema", err):
	case has > newest:
		d.found("schema", Fails, "version %d is from a newer sett, and this one supports versions up to %d; run the newer sett", has, newest)
	case has < newest:
		d.found("schema", Warn, "version %d is older than version %d of this sett; run sett backup, then start the server or run sett migrate", has, newest)
	default:
		d.found("schema", Fine, "version %d is current", has)
	}
}

// current reports whether the tables are there that this sett has; what else is wrong was said.
func (d *doctor) current(ctx context.Context) bool {
	version, err := d.store.SchemaVersion(ctx)
	return err == nil && version == db.NewestSchema()
}

func (d *doctor) users(ctx context.Context) {
	if !d.current(ctx) {
		return
	}
	has, err := d.store.Accounts.HasUsers(ctx)
	switch {
	case d.failed("accounts", err):
	case !has:
		d.found("accounts", Warn, "there is no account yet; create the first one with %s", SetupCommand(d.Options))
	default:
		d.found("accounts", Fine, "there are users")
	}
}

// farOff is how far two clocks may be apart. Check-ins are held to their deadlines by the second.
const farOff = 2 * time.Second

func (d *doctor) clock(ctx context.Context) {
	if !d.current(ctx) {
		return
	}
	beat, err := d.store.Uptime.LastBeat(ctx)
	if d.failed("clock", err) {
		return
	}
	theirs, err := d.store.DatabaseTime(ctx)
	switch off := d.now.Sub(theirs).Round(time.Millisecond); {
	case d.failed("clock", err):
	case beat.Sub(d.now) > farOff:
		d.found("clock", Fails, "the clock of this machine is %s behind a time that a server recorded; synchronize it, for example by NTP", beat.Sub(d.now).Round(time.Second))
	case !theirs.IsZero() && off.Abs() > farOff:
		d.found("clock", Fails, "the clock of this machine and that of PostgreSQL differ by %s; synchronize both, for example by NTP", off)
	default:
		d.found("clock", Fine, "%s, not behind the times in the database", d.now.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
}

func (d *doctor) durable(ctx context.Context) {
	if d.Database == "" {
		return
	}
	off, err := d.store.UnsafeSettings(ctx)
	switch {
	case d.failed("durability", err):
	case len(off) > 0:
		d.found("durability", Fails, "PostgreSQL has %q turned off, so a crash may lose or corrupt committed data; turn it on in postgresql.conf", off)
	default:
		d.found("durability", Fine, "PostgreSQL keeps committed data: fsync and full_page_writes are on")
	}
}

func (d *doctor) running(ctx context.Context) {
	var err error
	if !d.current(ctx) {
		return
	}
	if d.served, err = d.store.Intake.Served(ctx, time.Now()); d.failed("server", err) {
		return
	}
	if !d.served {
		d.found("server", Warn, "no server is running on this database; start one with sett serve")
		return
	}
	d.found("server", Fine, "a server is running on this database")
}

func (d *doctor) backups(ctx context.Context) {
	if d.Database != "" {
		d.found("backups", Fine, "sett does not know of all backups of PostgreSQL; check that sett backup, pg_dump or another program creates them, and test a restore")
		return
	}
	if !d.current(ctx) {
		return
	}
	last, err := d.store.ListBackups(ctx, 1)
	switch {
	case d.failed("backups", err):
	case len(last) == 0:
		d.found("backups", Warn, "there is no backup yet; run sett backup FILE every day, and keep the files on another machine")
	case d.now.Sub(last[0].At) > accounts.OldBackup:
		d.found("backups", Warn, "the last backup is %s old; run sett backup FILE every day", spoken(d.now.Sub(last[0].At)))
	default:
		d.found("backups", Fine, "the last backup is %s old, %s; check that a copy is on another machine", spoken(d.now.Sub(last[0].At)), Size(last[0].Bytes))
	}
}

func (d *doctor) agents(ctx context.Context) {
	if !d.current(ctx) {
		return
	}
	agents, err := d.store.Uptime.ListAgents(ctx)
	if d.failed("agents", err) || len(agents) == 0 {
		return
	}
	silent := ""
	for _, a := range agents {
		if a.State(d.now) != checks.AgentAlive {
			silent += ", " + fmt.Sprintf("%q", a.Name)
		}
	}
	if silent != "" {
		d.found("agents", Warn, "not alive: %s; see sett agents list", silent[2:])
		return
	}
	d.found("agents", Fine, "all %d are alive", len(agents))
}

// spoken writes an age in its largest unit: "3 days".
func spoken(age time.Duration) string {
	for _, unit := range []struct {
		name string
		of   time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		switch n := int64(age / unit.of); {
		case n == 1:
			return "1 " + unit.name
		case n > 1:
			return fmt.Sprintf("%d %ss", n, unit.name)
		}
	}
	return "less than a minute"
}

// ErrFound is the error of a command that has found something that does not work.
var ErrFound = errors.New("some checks failed; see above")

// farBehind is when a replica is of little use.
const farBehind = 10 * time.Second

// replica is the finding of doctor about the read replica.
func (d *doctor) replica(ctx context.Context) {
	if !d.store.HasReplica() {
		return
	}
	switch u := d.store.Replica(ctx); {
	case sett.CodeOf(u.Err) == sett.Conflict:
		d.found("read replica", Fails, "%v, so all reads go to the primary; correct --database-read (SETT_DATABASE_READ)", u.Err)
	case u.Err != nil:
		d.found("read replica", Warn, "it cannot be used (%v), so all reads go to the primary; start it, or correct --database-read (SETT_DATABASE_READ)", u.Err)
	case u.Delay > farBehind:
		d.found("read replica", Warn, "it is %s (%s of log) behind the primary, so most reads go to the primary; look at what delays it", u.Delay.Round(farBehind/10), Size(u.Behind))
	default:
		d.found("read replica", Fine, "it follows the primary, %s of log behind", Size(u.Behind))
	}
}
