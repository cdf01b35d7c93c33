package apiv3

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"sett/internal/sett"
)

// The most that a notice shows: it is read by programs that pay for each word.
const (
	mostFrames     = 20
	mostLines      = 25
	longestLine    = 1024     // characters
	largestRequest = 16 << 10 // bytes of params, session or context
)

func noticeOperations() []operation {
	const limited = "Params, session and context of more than 16 KiB are left out, and named in `request_fields_removed`."
	return []operation{
		{Name: "listNotices", Method: "GET", Path: faultPath + "/notices", Scope: "faults:read", Route: "listNotices", List: cursors, View: as[Notice](), Differs: limited},
		{Name: "getNotice", Method: "GET", Path: "/notices/{notice_id}", Scope: "faults:read", Route: "getNotice", View: as[Notice](), Run: (*call).showNotice, Differs: limited},
	}
}

// Notice is one occurrence of an error, in a small form.
type Notice struct {
	ID          id             `json:"id"`
	FaultID     id             `json:"fault_id"`
	ProjectID   id             `json:"project_id"`
	Environment string         `json:"environment"`
	Message     string         `json:"message"`
	CreatedAt   time.Time      `json:"created_at"`
	Request     *noticeRequest `json:"request"`
	Context     map[string]any `json:"context"`
	Backtrace   []frame        `json:"backtrace" doc:"The first 20 frames, the innermost first."`
	Mode        string         `json:"backtrace_mode" enum:"source_mapped,reported"`
	TotalFrames int            `json:"backtrace_total_frames"`
	Truncated   bool           `json:"backtrace_truncated"`
	Removed     []string       `json:"request_fields_removed" doc:"What was too large to be shown: params, session, context."`
	Links       links          `json:"links"`
}

type noticeRequest struct {
	URL       *string        `json:"url"`
	Component *string        `json:"component"`
	Action    *string        `json:"action"`
	Params    map[string]any `json:"params"`
	Session   map[string]any `json:"session"`
}

type frame struct {
	File   string  `json:"file"`
	Line   *int    `json:"line"`
	Column *int    `json:"column"`
	Method string  `json:"method"`
	InApp  bool    `json:"in_app"`
	Mapped *string `json:"mapping" doc:"source_map for a frame that a source map led to."`
	Source []lines `json:"source"`
}

type lines struct {
	First int      `json:"first_line"`
	Lines []string `json:"lines"`
}

// v2Notice is a notice as /v2 writes it.
type v2Notice struct {
	ID          id        `json:"id"`
	FaultID     id        `json:"fault_id"`
	CreatedAt   time.Time `json:"created_at"`
	Message     string    `json:"message"`
	Environment string    `json:"environment_name"`
	Request     struct {
		noticeRequest
		Context map[string]any `json:"context"`
	} `json:"request"`
	Backtrace []v2Frame `json:"backtrace"`
	Original  []v2Frame `json:"original_backtrace"`
}

type v2Frame struct {
	Number  *int              `json:"number,string"`
	Column  *int              `json:"column"`
	File    string            `json:"file"`
	Method  string            `json:"method"`
	Context string            `json:"context"`
	Source  map[string]string `json:"source"`
}

// UnmarshalJSON reads a notice of /v2.
func (n *Notice) UnmarshalJSON(data []byte) error {
	var v v2Notice
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*n = Notice{
		ID: v.ID, FaultID: v.FaultID, Environment: v.Environment, Message: v.Message, CreatedAt: v.CreatedAt, Removed: []string{}, Mode: "reported", Backtrace: []frame{},
	}
	asked := v.Request.noticeRequest
	asked.Params, asked.Session, n.Context = n.small("params", asked.Params), n.small("session", asked.Session), n.small("context", v.Request.Context)
	if asked.URL != nil || asked.Component != nil || asked.Action != nil || len(asked.Params)+len(asked.Session) > 0 {
		n.Request = &asked
	}
	shown := v.Backtrace
	if len(v.Original) > 0 {
		shown, n.Mode = v.Original, "source_mapped"
	}
	n.TotalFrames, n.Truncated = len(shown), len(shown) > mostFrames
	for i, f := range shown[:min(len(shown), mostFrames)] {
		n.Backtrace = append(n.Backtrace, f.shown(n.Mode == "source_mapped" && (i >= len(v.Backtrace) || v.Backtrace[i].File != f.File)))
	}
	if n.Mode == "source_mapped" && !slices.ContainsFunc(n.Backtrace, func(f frame) bool { return f.Mapped != nil }) {
		n.Mode = "reported"
	}
	return nil
}

// small returns an object, or an empty one if it is too large.
func (n *Notice) small(name string, object map[string]any) map[string]any {
	if raw, err := json.Marshal(object); err != nil || len(raw) > largestRequest {
		n.Removed = append(n.Removed, name)
		return map[string]any{}
	}
	if object == nil {
		return map[string]any{}
	}
	return object
}

func (f v2Frame) shown(mapped bool) frame {
	v := frame{File: f.File, Line: f.Number, Column: f.Column, Method: f.Method, InApp: f.Context == "app", Source: []lines{}}
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
		v.Source = append(v.Source, lines{n, []string{line}})
	}
	return v
}

func (n *Notice) finish(c *call) {
	n.ProjectID = id(c.r.PathValue("project_id"))
	n.Links = c.page("/projects/%s/faults/%s/%s", n.ProjectID, n.FaultID, n.ID)
}

// showNotice finds the project and fault of a notice, and shows it.
func (c *call) showNotice() error {
	uuid, err := sett.ParseUUID(c.r.PathValue("notice_id"))
	if err != nil {
		return sett.Errorf(sett.NotFound, "Notice not found")
	}
	project, fault, err := c.door.Faults.NoticePlace(c.r.Context(), c.who.User.ID, uuid)
	if err != nil {
		return err
	}
	c.r.SetPathValue("project_id", strconv.FormatInt(project, 10))
	c.r.SetPathValue("fault_id", strconv.FormatInt(fault, 10))
	found, err := c.ask("getNotice", c.passed(), nil)
	if err != nil {
		return err
	}
	return c.write(http.StatusOK, found.body)
}

// mapped asks for the frames after source maps, unless the request wants those that were reported.
func (c *call) mapped(query url.Values) {
	if slices.Contains([]string{"listNotices", "getNotice"}, c.op.Name) {
		query.Set("original_backtrace", strconv.FormatBool(c.query.Get("unmapped") != "true"))
	}
}
