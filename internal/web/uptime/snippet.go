package uptime

import (
	"fmt"
	"time"

	"sett/internal/base/cron"
	"sett/internal/sett/checks"
)

// snippet is text to copy so that a job reports.
type snippet struct{ ID, Name, Text string }

// snippets returns the ways in which a job can report to a URL; server is the base of that URL.
func snippets(address, server string, c checks.CheckIn) []snippet {
	schedule, calendar := timesOf(c.CheckInSettings)
	return []snippet{
		{"cron", "cron", fmt.Sprintf("%s /usr/local/bin/job && curl -fsS -m 10 --retry 5 -o /dev/null %s", schedule, address)},
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
OnCalendar=` + calendar + `
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

// timesOf returns the schedule of a check-in as a crontab and as systemd write it. A period that neither can say is rounded down, so that a
// job is never late by its own schedule. systemd knows no cron schedules: there it is a day, to be changed by hand.
func timesOf(s checks.CheckInSettings) (schedule, calendar string) {
	if s.ScheduleType == checks.CronSchedule {
		return s.CronSchedule, "daily"
	}
	p, err := cron.ParsePeriod(s.ReportPeriod)
	minutes, hours, days := int(p.Length/time.Minute), int(p.Length/time.Hour), int(p.Length/(24*time.Hour))
	switch {
	case err != nil || p.IsZero():
		return "0 2 * * *", "daily"
	case p.Months > 0:
		return "0 2 1 * *", "monthly"
	case days >= 7:
		return "0 2 * * 1", "weekly"
	case days >= 1:
		return "0 2 * * *", "daily"
	case hours > 1:
		n := divisor(24, hours)
		return fmt.Sprintf("0 */%d * * *", n), fmt.Sprintf("0/%d:00", n)
	case hours == 1:
		return "0 * * * *", "hourly"
	case minutes > 1:
		n := divisor(60, minutes)
		return fmt.Sprintf("*/%d * * * *", n), fmt.Sprintf("*:0/%d", n)
	}
	return "* * * * *", "minutely"
}

// divisor returns the largest divisor of a number that is at most n.
func divisor(of, n int) int {
	for of%n != 0 {
		n--
	}
	return n
}
