// Command withpostgres runs a command beside a private PostgreSQL cluster and ends the cluster with it. The command finds the cluster's
// address in SETT_TEST_POSTGRES, where package pgcluster looks for it, so that all test processes of one go test share a cluster; an
// address that is there already is used as it is. With -durable before the command the cluster syncs to the disk, as in production. With
// -pooled (after -durable), stores of tests reach the cluster through a PgBouncer in transaction mode, which the command finds in
// SETT_TEST_PGBOUNCER. Its exit status is the command's.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"sett/internal/setttest/pgbouncer"
	"sett/internal/setttest/pgcluster"
)

func main() {
	status, err := run(os.Args[1:], os.Getenv(pgcluster.Variable))
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpostgres:", err)
	}
	os.Exit(status)
}

// run runs the command with the address of a cluster, a new one when there is none, and returns the exit status.
func run(args []string, dsn string) (status int, err error) {
	durable := len(args) > 0 && args[0] == "-durable"
	if durable {
		args = args[1:]
	}
	pooled := len(args) > 0 && args[0] == "-pooled"
	if pooled {
		args = args[1:]
	}
	if len(args) == 0 {
		return 2, errors.New("say what to run, as in: withpostgres go test")
	}
	if dsn == "" {
		cluster, startErr := pgcluster.Start(context.Background(), pgcluster.Options{Durable: durable})
		if startErr != nil {
			return 1, startErr
		}
		defer func() { err = errors.Join(err, cluster.Stop()) }()
		dsn = cluster.DSN()
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), pgcluster.Variable+"="+dsn)
	if pooled {
		pooler, startErr := pgbouncer.New(dsn, "transaction", "verbose = 0", "log_connections = 0", "log_disconnections = 0")
		if startErr == nil {
			startErr = pooler.Start(context.Background())
		}
		if startErr != nil {
			return 1, startErr
		}
		defer func() { err = errors.Join(err, pooler.Close()) }()
		cmd.Env = append(cmd.Env, pgbouncer.Variable+"="+pooler.Dir())
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return max(exit.ExitCode(), 1), nil // -1 when a signal ended it
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}
