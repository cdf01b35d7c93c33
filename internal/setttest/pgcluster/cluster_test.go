package pgcluster

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// childVariable makes this test binary a process that runs a cluster until it is killed.
const childVariable = "SETT_TEST_CLUSTER_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		flag.Parse()
		if testing.Short() {
			return // every test here starts PostgreSQL
		}
		os.Exit(m.Run())
	}
	c, err := Start(context.Background(), Options{})
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println(c.DSN())
	select {}
}

func setting(t *testing.T, dsn, name string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	defer conn.Close(context.Background())
	var value string
	if err := conn.QueryRow(t.Context(), "SELECT current_setting($1)", name).Scan(&value); err != nil {
		t.Fatalf("read %s: %v", name, err)
	}
	return value
}

func TestStartAndStop(t *testing.T) {
	t.Parallel()
	for durable, want := range map[bool]string{false: "off", true: "on"} {
		t.Run("fsync "+want, func(t *testing.T) {
			t.Parallel()
			c, err := Start(t.Context(), Options{Durable: durable})
			if err != nil {
				t.Fatalf("start: %v", err)
			}
			got := map[string]string{}
			for _, name := range []string{"fsync", "full_page_writes", "synchronous_commit", "autovacuum", "listen_addresses"} {
				got[name] = setting(t, c.DSN(), name)
			}
			all := map[string]string{"fsync": want, "full_page_writes": want, "synchronous_commit": want, "autovacuum": want, "listen_addresses": ""}
			if diff := cmp.Diff(all, got); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
			if err := c.Stop(); err != nil {
				t.Errorf("stop: %v", err)
			}
			if _, err := os.Stat(c.dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the directory is still there: %v", err)
			}
			if conn, err := pgx.Connect(t.Context(), c.DSN()); err == nil {
				conn.Close(t.Context())
				t.Error("the server still answers")
			}
		})
	}
}

func TestClusterEndsWithItsProcess(t *testing.T) {
	t.Parallel()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"=1")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	dsn := strings.TrimSpace(line)
	if err != nil || !strings.HasPrefix(dsn, "postgres://") {
		t.Fatalf("the child wrote %q, %v", line, err)
	}
	dir := filepath.Dir(setting(t, dsn, "data_directory"))

	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed: that is no news
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for deadline := time.After(20 * time.Second); ; {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			break // the watchdog removes it after the server ended
		}
		select {
		case <-again.C:
		case <-deadline:
			t.Fatalf("%s is still there after the process that started the cluster was killed", dir)
		}
	}
	if conn, err := pgx.Connect(t.Context(), dsn); err == nil {
		conn.Close(t.Context())
		t.Error("the server still answers")
	}
}

func TestBinaries(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put := func(names ...string) string {
		t.Helper()
		for _, name := range names {
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		return filepath.Dir(filepath.Join(root, names[0]))
	}
	put("lib/14/bin/initdb", "lib/14/bin/postgres")
	newest := put("lib/15/bin/initdb", "lib/15/bin/postgres")
	clientOnly := put("client/initdb")
	links := t.TempDir()
	if err := os.Symlink(filepath.Join(newest, "initdb"), filepath.Join(links, "initdb")); err != nil {
		t.Fatal(err)
	}
	all := filepath.Join(root, "lib/*/bin")
	for name, tt := range map[string]struct {
		places []string
		want   string
		err    error
	}{
		"highest version":       {[]string{all}, newest, nil},
		"first place":           {[]string{filepath.Join(root, "lib/14/bin"), all}, filepath.Join(root, "lib/14/bin"), nil},
		"link in PATH":          {[]string{links}, newest, nil},
		"initdb without server": {[]string{clientOnly}, "", ErrMissing},
		"nothing":               {nil, "", ErrMissing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := binaries(tt.places)
			if got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("binaries = %q, %v, want %q, %v", got, err, tt.want, tt.err)
			}
		})
	}
}
