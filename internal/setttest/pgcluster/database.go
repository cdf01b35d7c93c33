package pgcluster

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"sett/internal/sett"
)

// Postgres returns the address of a new, empty database that is dropped when the test ends.
func Postgres(t testing.TB) (dsn string) {
	t.Helper()
	return newDatabase(t, server(t), "template1")
}

// FreshDatabase returns the address of a new database as migrate leaves an empty one; it is dropped when the test
// ends. Migrate runs once in a process, on a template that is copied from then on, so every caller in a process must
// pass one that does the same. It must have closed its connections when it returns.
func FreshDatabase(t testing.TB, migrate func(dsn string) error) (dsn string) {
	t.Helper()
	admin := server(t)
	template.once.Do(func() { template.name, template.err = makeTemplate(admin, migrate) })
	if template.err != nil {
		t.Fatalf("make template database: %v", template.err)
	}
	return newDatabase(t, admin, template.name)
}

// template is the database that migrate filled, at most one in a process.
var template struct {
	once sync.Once
	name string
	err  error
}

func makeTemplate(admin string, migrate func(dsn string) error) (name string, err error) {
	name = randomName("sett_template_")
	if err := execute(admin, "CREATE DATABASE "+name+" TEMPLATE template1"); err != nil {
		return "", err
	}
	dsn, err := withDatabase(admin, name)
	if err != nil {
		return "", err
	}
	return name, migrate(dsn)
}

// keyFiles are the key files of the databases of tests, by the paths of their addresses: the settings behind a path may differ.
var keyFiles sync.Map

// KeyFile returns the name of the file in which the keys of a database of Postgres or FreshDatabase are: all stores of one
// database need the same. It is "" for another database.
func KeyFile(dsn string) string {
	file, _ := keyFiles.Load(pathOf(dsn))
	name, _ := file.(string)
	return name
}

func pathOf(dsn string) string {
	u, err := url.Parse(dsn)
	if err != nil {
		return dsn
	}
	return u.Path
}

func newDatabase(t testing.TB, admin, from string) (dsn string) {
	t.Helper()
	defer func() { keyFiles.Store(pathOf(dsn), filepath.Join(t.TempDir(), "secret.key")) }()
	name := randomName("sett_test_")
	dsn, err := withDatabase(admin, name)
	if err == nil {
		err = execute(admin, "CREATE DATABASE "+name+" STRATEGY file_copy TEMPLATE "+from)
	}
	if err != nil {
		t.Fatalf("make test database: %v", err)
	}
	t.Cleanup(func() {
		// FORCE ends the connections that the test left open.
		if err := execute(admin, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("drop test database: %v", err)
		}
	})
	return dsn
}

// ownCluster starts this process's cluster. It is never stopped here: it ends by itself when the process does.
var ownCluster = sync.OnceValues(func() (*Cluster, error) {
	return Start(context.Background(), Options{})
})

// server returns the superuser's address of the server that tests use: the one that Variable names, which all
// test processes of a "make test" share, or else a cluster of this process. With -short it skips the test.
func server(t testing.TB) (admin string) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out tests that need PostgreSQL")
	}
	if dsn := os.Getenv(Variable); dsn != "" {
		return dsn
	}
	cluster, err := ownCluster()
	if err != nil {
		t.Fatalf("start PostgreSQL for tests: %v", err)
	}
	return cluster.DSN()
}

func execute(dsn, statement string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("connect to the test server: %w", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// withDatabase returns the address with another database's name.
func withDatabase(dsn, name string) (string, error) {
	u, err := url.Parse(dsn)
	if err != nil || !strings.HasPrefix(u.Scheme, "postgres") {
		return "", fmt.Errorf("%s must be an address of the form postgres://user:password@host:5432/name", Variable)
	}
	u.Path = "/" + name
	return u.String(), nil
}

func randomName(prefix string) string { return prefix + strings.ToLower(sett.RandomString(16)) }
