package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"
)

// place is where a database is: a directory with an SQLite file, or with the key of a PostgreSQL database.
type place struct {
	dir    string
	server string // "" for SQLite, or the URL of a superuser
	name   string // of the PostgreSQL database
}

// database returns the URL of the PostgreSQL database; "" for SQLite.
func (p place) database() string {
	u, err := url.Parse(p.server)
	if p.server == "" || err != nil {
		return p.server
	}
	u.Path = "/" + p.name
	return u.String()
}

// make makes an empty directory, and an empty PostgreSQL database.
func (p place) make(ctx context.Context) error {
	if err := p.remove(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(p.dir, 0o700); err != nil || p.server == "" {
		return err
	}
	return p.do(ctx, "CREATE DATABASE "+p.name)
}

func (p place) remove(ctx context.Context) error {
	err := os.RemoveAll(p.dir)
	if p.server != "" {
		err = errors.Join(err, p.do(context.WithoutCancel(ctx), "DROP DATABASE IF EXISTS "+p.name+" WITH (FORCE)"))
	}
	return err
}

// copyTo copies a database that no server uses.
func (p place) copyTo(ctx context.Context, to place) error {
	if err := to.remove(ctx); err != nil {
		return err
	}
	if err := os.CopyFS(to.dir, os.DirFS(p.dir)); err != nil || p.server == "" {
		return err
	}
	return p.do(ctx, fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s STRATEGY FILE_COPY", to.name, p.name))
}

// copySmall copies what a directory has beside its database, such as the key of its secrets.
func (p place) copySmall(to place) error {
	entries, err := os.ReadDir(p.dir)
	for _, e := range entries {
		if err != nil || e.IsDir() || strings.Contains(e.Name(), ".db") || strings.HasSuffix(e.Name(), ".dump") {
			continue
		}
		var text []byte
		if text, err = os.ReadFile(filepath.Join(p.dir, e.Name())); err == nil {
			err = os.WriteFile(filepath.Join(to.dir, e.Name()), text, 0o600)
		}
	}
	return err
}

// copyOf is the file that sett copies an SQLite database to before it changes a version of the schema.
func (p place) copyOf(schema int64) string {
	return filepath.Join(p.dir, fmt.Sprintf("sett.db.schema-%d", schema))
}

// removeCopies removes the files that sett made before it changed the schema.
func (p place) removeCopies() error {
	copies, err := filepath.Glob(filepath.Join(p.dir, "sett.db.schema-*"))
	for _, name := range copies {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// do runs a statement on the PostgreSQL server.
func (p place) do(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, p.server)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	_, err = conn.Exec(ctx, statement)
	return err
}

// postgresTool runs a program of PostgreSQL on the database.
func (p place) postgresTool(ctx context.Context, name string, args ...string) error {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	path, err := exec.LookPath(name)
	if len(found) > 0 {
		path, err = found[len(found)-1], nil // that of the newest server
	}
	if err != nil {
		return fmt.Errorf("%s is missing; install the client programs of PostgreSQL", name)
	}
	if out, err := exec.CommandContext(ctx, path, append([]string{"--dbname", p.database()}, args...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

// bytes returns how much the files of the directory take on the disk, or the PostgreSQL database.
func (p place) bytes(ctx context.Context) (n int64, err error) {
	if p.server != "" {
		conn, err := pgx.Connect(ctx, p.server)
		if err != nil {
			return 0, err
		}
		defer conn.Close(context.WithoutCancel(ctx))
		err = conn.QueryRow(ctx, "SELECT pg_database_size($1)", p.name).Scan(&n)
		return n, err
	}
	err = filepath.WalkDir(p.dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return ignoreGone(err)
		}
		about, err := e.Info()
		if err == nil {
			n += about.Size()
		}
		return ignoreGone(err)
	})
	return n, err
}

// conversions count what earlier versions stored and a server has yet to convert in the background; they are tables of versions since 40.
var conversions = []string{"SELECT count(*) FROM old_notices", "SELECT count(*) FROM blocks WHERE rewrites"}

// pending returns how much a server has yet to convert.
func (p place) pending(ctx context.Context) (all int64, err error) {
	driver, address := "pgx", p.database()
	if p.server == "" {
		driver, address = "sqlite", "file:"+filepath.Join(p.dir, "sett.db")+"?mode=ro"
	}
	d, err := sql.Open(driver, address)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	for _, count := range conversions {
		var n int64
		if d.QueryRowContext(ctx, count).Scan(&n) == nil { // an earlier version has no such table
			all += n
		}
	}
	return all, ctx.Err()
}

// ignoreGone forgives a file for being removed while it is looked at.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// watch looks how much space a database takes until seen is called, which returns the most, and the CPU time that PostgreSQL spent on it.
func (p place) watch(ctx context.Context) (seen func() (peak int64, cpu time.Duration)) {
	ctx, stop := context.WithCancel(ctx)
	var peak int64
	spent := map[int]time.Duration{} // by process
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for wait(ctx, 100*time.Millisecond) == nil {
			if n, err := p.bytes(ctx); err == nil {
				peak = max(peak, n)
			}
			for _, pid := range p.backends(ctx) {
				spent[pid] = max(spent[pid], processTime(pid))
			}
		}
	}()
	return func() (_ int64, cpu time.Duration) {
		stop()
		<-ended
		for _, d := range spent {
			cpu += d
		}
		return peak, cpu
	}
}

// backends returns the processes of PostgreSQL that work on the database.
func (p place) backends(ctx context.Context) []int {
	if p.server == "" {
		return nil
	}
	conn, err := pgx.Connect(ctx, p.server)
	if err != nil {
		return nil
	}
	defer conn.Close(context.WithoutCancel(ctx))
	rows, _ := conn.Query(ctx, "SELECT pid FROM pg_stat_activity WHERE datname = $1", p.name)
	pids, _ := pgx.CollectRows(rows, pgx.RowTo[int])
	return pids
}
