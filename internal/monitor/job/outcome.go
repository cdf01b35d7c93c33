package job

import (
	"bytes"
	"encoding/json"
	"time"
)

// Outcome is how a command went.
type Outcome struct {
	Duration       time.Duration // from start to end
	Status         int           // as of Job.Run
	Stdout, Stderr string        // the ends of what it wrote, valid UTF-8
}

// mostBytes is how long a report may be (wire.md §7.1).
const mostBytes = 20_000

// report is an Outcome in the form of /v1.
type report struct {
	Status   string `json:"status"`
	Duration int64  `json:"duration"` // milliseconds
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
	ExitCode int    `json:"exit_code"`
}

// body returns the JSON of the report. If the outputs exceed their limit together, the longer one is shortened more.
func (o Outcome) body() []byte {
	r := report{Status: "success", Duration: o.Duration.Milliseconds(), Stdout: o.Stdout, Stderr: o.Stderr, ExitCode: o.Status}
	if o.Status != 0 {
		r.Status = "error"
	}
	for {
		body := encode(map[string]report{"check_in": r})
		if len(body) <= mostBytes {
			return body
		}
		longer := &r.Stdout
		if len(r.Stderr) > len(r.Stdout) {
			longer = &r.Stderr
		}
		*longer = lastOf(*longer, len(*longer)*3/4)
	}
}

// encode writes v as JSON with < and > as they are: escaped, they take six times the room.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // texts and numbers always can be
	return b.Bytes()
}
