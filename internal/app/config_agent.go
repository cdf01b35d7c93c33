package app

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Agent is what the agent command needs beside the settings of checks.
type Agent struct {
	Token string `flag:"token" is:"text" group:"Agent" secret:"yes" help:"token of the agent, from: sett agents add"`
	Spool string `flag:"spool" is:"dir" default:"./sett-agent" group:"Agent" help:"directory for results that wait for the server" more:"created when missing"`
}

// explainSpool says why the directory of an agent cannot be used, as a sentence for its operator.
func (c Config) explainSpool(err error) error {
	const elsewhere = ", or choose another directory with --spool (SETT_SPOOL)"
	refused, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return err
	}
	sentence := fmt.Sprintf("the directory %s is not writable: %v; make it and its files writable for the user that runs the agent", c.Agent.Spool, refused.Err)
	if errors.Is(err, syscall.ENOTDIR) {
		sentence = fmt.Sprintf("the directory %s cannot be created, because %s is a file; move the file away", c.Agent.Spool, refused.Path)
	} else if refused.Op == "mkdir" {
		sentence = fmt.Sprintf("the directory %s cannot be created: %v; create it and make it writable for the user that runs the agent", c.Agent.Spool, refused.Err)
	}
	return &explained{sentence + elsewhere, err}
}

// Job is which check-in the run command reports to, and where. Agents report to the same server, and clients ask it.
type Job struct {
	CheckIn string `flag:"check-in" is:"text" group:"Run" help:"id of the check-in; with an API key, its slug"`
	APIKey  string `flag:"api-key" is:"text" group:"Run" secret:"yes" help:"API key of the project that has the check-in"`
	Server  string `flag:"server" is:"url" default:"http://127.0.0.1:8080" group:"Server" help:"URL of the server"`
}

// Client is who asks a server's API, and for which project, by the commands for any machine.
type Client struct {
	Token   string `flag:"auth-token" is:"text" group:"API" secret:"yes" help:"your personal token" more:"create one on the page /me/tokens of your server; sett alarms calls the API with it"`
	Profile string `flag:"profile" is:"text" group:"API" help:"profile of sett login" more:"empty: that of your last sett login; a token that you set is used instead of it"`
	Store   string `flag:"token-store" is:"choice" of:"auto keyring file" default:"auto" group:"API" help:"where sett login keeps the token" more:"auto takes the keyring of the system, and a file where there is none that answers within 3 seconds"`
	Project int64  `flag:"project-id" is:"count" default:"0" group:"API" help:"id of the project" more:"0: the only project that you have"`
}
