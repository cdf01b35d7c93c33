package app

// Agent is what the agent command needs beside the settings of checks.
type Agent struct {
	Token string `flag:"token" is:"text" group:"Agent" secret:"yes" help:"token of the agent, from: sett agents add"`
	Spool string `flag:"spool" is:"text" default:"./sett-agent" group:"Agent" help:"directory for what the server does not have yet; made when missing"`
}
