// Command withpostgres runs a command beside a private PostgreSQL cluster and ends the cluster with it. The command
// finds the cluster's address in SETT_TEST_POSTGRES, where the test house looks for it, so that all test processes of
// one go test share a cluster; an address that is there already is used as it is. Its exit status is the command's.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"sett/internal/setttest/pgcluster"
)

func main() {
	status, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpostgres:", err)
	}
	os.Exit(status)
}

func run(args []string) (status int, err error) {
	if len(args) == 0 {
		return 2, errors.New("say what to run, as in: withpostgres go test")
	}
	if os.Getenv(pgcluster.Variable) == "" {
		cluster, err := pgcluster.Start(context.Background(), pgcluster.Options{})
		if err != nil {
			return 1, err
		}
		defer func() { err = errors.Join(err, cluster.Stop()) }()
		if err := os.Setenv(pgcluster.Variable, cluster.DSN()); err != nil {
			return 1, err
		}
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return max(exit.ExitCode(), 1), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}
