package app

import (
	"errors"
	"io"
	"time"

	"sett/internal/app/client"
	"sett/internal/base/dial"
	"sett/internal/monitor/job"
)

// serverTimeout is how long a server may take to answer a report, or a question.
const serverTimeout = 15 * time.Second

// Run runs a command and reports to a check-in how it went. It returns the command's exit status; an error is a mistake
// in the settings, and the command was not run.
func Run(cfg Config, command []string, stdin io.Reader, stdout, stderr io.Writer) (status int, err error) {
	if cfg.Job.CheckIn == "" {
		return 0, errors.New("--check-in (SETT_CHECK_IN) is missing; write the id of the check-in, or its slug with --api-key")
	}
	r := job.Reporter{
		Do:     dial.New(dial.Anywhere()).Client(serverTimeout).Do, // the operator of the job has set the server
		Server: cfg.Job.Server, Key: cfg.Job.APIKey, CheckIn: cfg.Job.CheckIn,
	}
	j := job.Job{Command: command, Stdin: stdin, Stdout: stdout, Stderr: stderr, Report: r.Report}
	return j.Run(), nil
}

// API returns the API of the server that the settings name, for the user whose token they have.
func (c Config) API() client.Server {
	return client.Server{
		Do:      dial.New(dial.Anywhere()).Client(serverTimeout).Do, // the user has set the server
		Address: c.Job.Server, Token: c.Client.Token, Project: c.Client.Project,
	}
}
