package uptime

import (
	"fmt"

	"sett/internal/sett/checks"
)

// snippet is text to copy so that a job reports.
type snippet struct{ ID, Name, Text string }

// snippets returns the ways in which a job can report to a URL; server is the base of that URL.
func snippets(address, server string, c checks.CheckIn) []snippet {
	cron := "0 2 * * *"
	if c.ScheduleType == checks.CronSchedule {
		cron = c.CronSchedule
	}
	return []snippet{
		{"cron", "cron", fmt.Sprintf("%s /usr/local/bin/job && curl -fsS -m 10 --retry 5 -o /dev/null %s", cron, address)},
		{"curl", "curl", "curl -fsS -m 10 --retry 5 -o /dev/null " + address + `

# with status, duration and exit code
curl -fsS -m 10 --retry 5 -o /dev/null -H 'Content-Type: application/json' \
  -d '{"check_in":{"status":"success","duration":1200,"exit_code":0}}' \
  ` + address},
		{"systemd", "systemd timer", `# job.service
[Service]
Type=oneshot
ExecStart=/usr/local/bin/job
ExecStartPost=/usr/bin/curl -fsS -m 10 --retry 5 -o /dev/null ` + address + `

# job.timer
[Timer]
OnCalendar=daily
[Install]
WantedBy=timers.target`},
		{"sett", "sett run", fmt.Sprintf("sett run --server %s --check-in %s -- /usr/local/bin/job", server, c.ID)},
		{"go", "Go", fmt.Sprintf(`client := http.Client{Timeout: 10 * time.Second}
answer, err := client.Get(%q)
if err == nil {
	answer.Body.Close()
}`, address)},
		{"ruby", "Ruby", fmt.Sprintf("require \"net/http\"\n\nNet::HTTP.get_response(URI(%q))", address)},
		{"python", "Python", fmt.Sprintf("from urllib.request import urlopen\n\nurlopen(%q, timeout=10).close()", address)},
		{"node", "Node", fmt.Sprintf("await fetch(%q, { signal: AbortSignal.timeout(10_000) });", address)},
		{"php", "PHP", fmt.Sprintf("file_get_contents(%q, false, stream_context_create([\"http\" => [\"timeout\" => 10]]));", address)},
	}
}
