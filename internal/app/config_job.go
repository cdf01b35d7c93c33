package app

// Job is which check-in the run command reports to, and where. Agents report to the same server.
type Job struct {
	CheckIn string `flag:"check-in" is:"text" group:"Run" help:"id of the check-in that the command reports to; with an API key, its slug"`
	APIKey  string `flag:"api-key" is:"text" group:"Run" secret:"yes" help:"API key of the project that has the check-in"`
	Server  string `flag:"server" is:"url" default:"http://127.0.0.1:8080" group:"Server" help:"URL of the server to report to"`
}
