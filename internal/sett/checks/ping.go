package checks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/run"
)

// Ping is what a job sends to its check-in: that it ran, or starts to run.
type Ping struct {
	At      time.Time // when the server got it
	Payload *PingPayload
	Source  PingSource
	Run     run.Report // that it is about
}

// PingSource says where a ping came from, as far as that is known.
type PingSource struct {
	Address string // of the network
	Agent   string // what its client calls itself
}

// maxPingAgent is how many bytes of the name of a client are kept.
const maxPingAgent = 200

// NewPingSource returns the source of a ping from an address, by a client that calls itself so.
func NewPingSource(address, agent string) PingSource {
	return PingSource{address, cleanText(agent, maxPingAgent)}
}

// PingPayload is what a job may say with a ping (wire.md §7.1). A job that failed has reported too, but is failing.
type PingPayload struct {
	Status   string `json:"status,omitempty"`   // success, error, or "" when it was not sent
	Duration *int64 `json:"duration,omitempty"` // ms
	ExitCode *int   `json:"exit_code,omitempty"`
	Stdout   string `json:"stdout,omitempty"` // its end
	Stderr   string `json:"stderr,omitempty"` // its end

	Environment string `json:"environment,omitempty"` // "" when it was not sent, as Release
	Release     string `json:"release,omitempty"`
	Reason      string `json:"reason,omitempty"` // of a miss: why
}

// PingRoom is how many bytes of output a payload keeps, of stdout and stderr together.
const PingRoom = 20 << 10

// ParsePing reads the body of a ping; nil when it says nothing that is kept. A ping counts whatever its body, so nothing
// is refused: what cannot be read is left out.
func ParsePing(body []byte) *PingPayload {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	object, err := payload.DecodeObject(body)
	if err != nil {
		return nil
	}
	if inner := payload.ObjectIn(object, "check_in"); inner != nil {
		object = inner
	}
	p := PingPayload{
		Status: pingStatus(object["status"]), Duration: durationOf(object["duration"]), ExitCode: payload.IntOf(object["exit_code"]),
		Stdout: payload.TextOf(object["stdout"]), Stderr: payload.TextOf(object["stderr"]),
	}
	p.cut()
	if p == (PingPayload{}) {
		return nil
	}
	return &p
}

// PlainPing is what a job says that reports in another form: success or error, how many milliseconds it took and its exit code, if it said so,
// and what it printed.
func PlainPing(status string, duration *int64, exitCode *int, output string) *PingPayload {
	p := PingPayload{Status: status, Duration: duration, ExitCode: exitCode, Stdout: cleanText(output, len(output))}
	p.cut()
	return &p
}

func pingStatus(v any) string {
	switch status := strings.ToLower(strings.TrimSpace(payload.TextOf(v))); status {
	case "success", "error":
		return status
	case "ok":
		return "success"
	case "failure", "failed", "fail":
		return "error"
	}
	return ""
}

// Failed reports whether the job says that it failed.
func (p *PingPayload) Failed() bool {
	return p != nil && (p.Status == "error" || p.ExitCode != nil && *p.ExitCode != 0)
}

// mostFailure is how many bytes of what a job printed a message has.
const mostFailure = 500

// Failure says how the job failed, with the end of what it printed.
func (p *PingPayload) Failure() string {
	text := "The job reported a failure."
	if p.ExitCode != nil && *p.ExitCode != 0 {
		text = fmt.Sprintf("The job ended with exit code %d.", *p.ExitCode)
	}
	printed := strings.TrimSpace(p.Stderr)
	if printed == "" {
		printed = strings.TrimSpace(p.Stdout)
	}
	if printed == "" {
		return text
	}
	return text + "\n\n" + lastBytes(printed, mostFailure)
}

// durationOf returns milliseconds, rounded; nil for what is no time that a job can take.
func durationOf(v any) *int64 {
	number, ok := v.(json.Number)
	if !ok {
		return nil
	}
	ms, err := number.Float64()
	if err != nil || ms < 0 || ms > 1e15 {
		return nil
	}
	rounded := int64(ms + 0.5)
	return &rounded
}

// cut leaves of both outputs what there is room for. One may use what the other leaves.
func (p *PingPayload) cut() {
	const half = PingRoom / 2
	stdout, stderr := len(p.Stdout), len(p.Stderr)
	p.Stdout = lastBytes(p.Stdout, max(half, PingRoom-stderr))
	p.Stderr = lastBytes(p.Stderr, max(half, PingRoom-stdout))
}

// lastBytes returns the end of a text, which begins with CutMark when something is missing.
func lastBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	from := len(text) - most + len(sett.CutMark)
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return sett.CutMark + strings.Clone(text[from:])
}
