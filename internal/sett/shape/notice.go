package shape

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"sett/internal/event/payload"
	"sett/internal/sett/faults"
)

// The most that a notice shows: it is read by programs that pay for each word.
const (
	mostFrames     = 20
	mostLines      = 25
	longestLine    = 1024     // characters
	largestRequest = 16 << 10 // bytes of params, session or context
)

// Notice is one occurrence of an error, in a small form.
type Notice struct {
	ID          ID             `json:"id"`
	FaultID     ID             `json:"fault_id"`
	ProjectID   ID             `json:"project_id"`
	Environment string         `json:"environment"`
	Message     string         `json:"message"`
	CreatedAt   time.Time      `json:"created_at"`
	Request     *NoticeRequest `json:"request"`
	Context     map[string]any `json:"context"`
	Backtrace   []Frame        `json:"backtrace" doc:"The first 20 frames, the innermost first."`
	Mode        string         `json:"backtrace_mode" enum:"source_mapped,reported"`
	TotalFrames int            `json:"backtrace_total_frames"`
	Truncated   bool           `json:"backtrace_truncated"`
	Removed     []string       `json:"request_fields_removed" doc:"What was too large to be shown: params, session, context."`
	Links       Links          `json:"links"`
}

// NoticeRequest is the request that failed.
type NoticeRequest struct {
	URL       *string        `json:"url"`
	Component *string        `json:"component"`
	Action    *string        `json:"action"`
	Params    map[string]any `json:"params"`
	Session   map[string]any `json:"session"`
}

// Frame is a place in the code.
type Frame struct {
	File   string  `json:"file"`
	Line   *int    `json:"line"`
	Column *int    `json:"column"`
	Method string  `json:"method"`
	InApp  bool    `json:"in_app"`
	Mapped *string `json:"mapping" doc:"source_map for a frame that a source map led to."`
	Source []Lines `json:"source"`
}

// Lines are lines of code that follow each other.
type Lines struct {
	First int      `json:"first_line"`
	Lines []string `json:"lines"`
}

// v2Notice is a notice as /v2 writes it.
type v2Notice struct {
	ID          ID        `json:"id"`
	FaultID     ID        `json:"fault_id"`
	CreatedAt   time.Time `json:"created_at"`
	Message     string    `json:"message"`
	Environment string    `json:"environment_name"`
	Request     struct {
		NoticeRequest
		Context map[string]any `json:"context"`
	} `json:"request"`
	Backtrace []payload.Frame `json:"backtrace"`
	Original  []payload.Frame `json:"original_backtrace"`
}

// UnmarshalJSON reads a notice of /v2.
func (n *Notice) UnmarshalJSON(data []byte) error {
	var v v2Notice
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*n = v.small()
	return nil
}

// NoticeOf returns a notice as its client reported it; nil for none.
func NoticeOf(of *faults.Notice, at Place) *Notice {
	if of == nil {
		return nil
	}
	v := v2Notice{
		ID: ID(of.ID.String()), FaultID: Number(of.FaultID), CreatedAt: of.CreatedAt(), Message: of.Message, Environment: of.Environment.EnvironmentName,
		Backtrace: of.Backtrace,
	}
	r := of.Request
	v.Request.NoticeRequest = NoticeRequest{URL: text(r.URL), Component: text(r.Component), Action: text(r.Action), Params: r.Params, Session: r.Session}
	v.Request.Context = r.Context
	n := v.small()
	n.Put(at)
	return &n
}

// small is the notice without what is too large, and without what /v3 does not show.
func (v v2Notice) small() Notice {
	n := Notice{
		ID: v.ID, FaultID: v.FaultID, Environment: v.Environment, Message: v.Message, CreatedAt: v.CreatedAt, Removed: []string{}, Mode: "reported", Backtrace: []Frame{},
	}
	asked := v.Request.NoticeRequest
	asked.Params, asked.Session, n.Context = n.fitting("params", asked.Params), n.fitting("session", asked.Session), n.fitting("context", v.Request.Context)
	if asked.URL != nil || asked.Component != nil || asked.Action != nil || len(asked.Params)+len(asked.Session) > 0 {
		n.Request = &asked
	}
	shown := v.Backtrace
	if len(v.Original) > 0 {
		shown, n.Mode = v.Original, "source_mapped"
	}
	n.TotalFrames, n.Truncated = len(shown), len(shown) > mostFrames
	for i, f := range shown[:min(len(shown), mostFrames)] {
		n.Backtrace = append(n.Backtrace, frameOf(f, n.Mode == "source_mapped" && (i >= len(v.Backtrace) || v.Backtrace[i].File != f.File)))
	}
	if n.Mode == "source_mapped" && !slices.ContainsFunc(n.Backtrace, func(f Frame) bool { return f.Mapped != nil }) {
		n.Mode = "reported"
	}
	return n
}

// fitting returns an object, or an empty one if it is too large.
func (n *Notice) fitting(name string, object map[string]any) map[string]any {
	if raw, err := json.Marshal(object); err != nil || len(raw) > largestRequest {
		n.Removed = append(n.Removed, name)
		return map[string]any{}
	}
	if object == nil {
		return map[string]any{}
	}
	return object
}

func frameOf(f payload.Frame, mapped bool) Frame {
	v := Frame{File: f.File, Line: f.Number, Column: f.Column, Method: f.Method, InApp: f.Context == "app", Source: []Lines{}}
	if mapped {
		how := "source_map"
		v.Mapped = &how
	}
	var numbers []int
	for number := range maps.Keys(f.Source) {
		if n, err := strconv.Atoi(number); err == nil {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	for _, n := range numbers[:min(len(numbers), mostLines)] {
		text := []rune(f.Source[strconv.Itoa(n)])
		line := string(text[:min(len(text), longestLine)])
		if last := len(v.Source) - 1; last >= 0 && v.Source[last].First+len(v.Source[last].Lines) == n {
			v.Source[last].Lines = append(v.Source[last].Lines, line)
			continue
		}
		v.Source = append(v.Source, Lines{n, []string{line}})
	}
	return v
}

// Put sets the project and the links.
func (n *Notice) Put(at Place) {
	n.ProjectID = at.ProjectID
	n.Links = at.Page("/projects/%s/faults/%s/%s", n.ProjectID, n.FaultID, n.ID)
}
