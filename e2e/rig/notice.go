package rig

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Notice is a notice as the management interface shows it.
type Notice struct {
	ID               string            `json:"id"`
	FaultID          int64             `json:"fault_id"`
	CreatedAt        time.Time         `json:"created_at"`
	Message          string            `json:"message"`
	URL              string            `json:"url"`
	EnvironmentName  string            `json:"environment_name"`
	Environment      environmentOf     `json:"environment"`
	Cookies          map[string]string `json:"cookies"`
	WebEnvironment   map[string]string `json:"web_environment"`
	Request          Request           `json:"request"`
	Backtrace        []Frame           `json:"backtrace"`
	ApplicationTrace []Frame           `json:"application_trace"`

	// Beyond the contract: the rest of what its client reported.
	Klass              string         `json:"klass"`
	Tags               []string       `json:"tags"`
	Fingerprint        string         `json:"fingerprint"` // "" for null
	Causes             []Cause        `json:"causes"`
	Breadcrumbs        []Breadcrumb   `json:"breadcrumbs"`
	Details            map[string]any `json:"details"`
	LocalVariables     map[string]any `json:"local_variables"`
	CorrelationContext map[string]any `json:"correlation_context"`
	Notifier           Notifier       `json:"notifier"`
}

// Cause is an error that led to another.
type Cause struct {
	Class     string  `json:"class"`
	Message   string  `json:"message"`
	Backtrace []Frame `json:"backtrace"`
}

// Breadcrumb is what happened before an error.
type Breadcrumb struct {
	Category  string         `json:"category"`
	Message   string         `json:"message"`
	Timestamp string         `json:"timestamp"`
	Metadata  map[string]any `json:"metadata"`
}

// Notifier is the client that has reported.
type Notifier struct{ Name, URL, Version, Language string }

type environmentOf struct {
	EnvironmentName string                        `json:"environment_name"`
	Hostname        string                        `json:"hostname"`
	ProjectRoot     struct{ Path string }         `json:"project_root"`
	Revision        string                        `json:"revision"`
	Stats           map[string]map[string]float64 `json:"stats"`
	Time            string                        `json:"time"`
	PID             int                           `json:"pid"`
}

// Request is what a program was asked when it failed.
type Request struct {
	Action    string         `json:"action"`
	Component string         `json:"component"`
	Context   map[string]any `json:"context"`
	Params    map[string]any `json:"params"`
	Session   map[string]any `json:"session"`
	URL       string         `json:"url"`
	User      *User          `json:"user"`
}

// User is who was affected.
type User struct {
	Email string `json:"email"`
	ID    any    `json:"id"`
}

// Frame is a line of a backtrace.
type Frame struct {
	Number          string            `json:"number"`
	Column          int               `json:"column"`
	File            string            `json:"file"`
	Method          string            `json:"method"`
	Context         string            `json:"context"`
	Source          map[string]string `json:"source"`
	ApplicationFile string            `json:"application_file"`
}

// Bare is the only notice of f as it is shown when its client sent no more than a message: what was left out is empty,
// never null.
func Bare(id string, f Fault) Notice {
	return Notice{
		ID: id, FaultID: f.ID, Message: f.Message, EnvironmentName: f.Environment,
		Environment: environmentOf{EnvironmentName: f.Environment},
		Cookies:     map[string]string{}, WebEnvironment: map[string]string{},
		Request: Request{Context: map[string]any{}, Params: map[string]any{}, Session: map[string]any{}},
		Klass:   f.Klass, Tags: f.Tags, Causes: []Cause{}, Breadcrumbs: []Breadcrumb{},
		Details: map[string]any{}, LocalVariables: map[string]any{}, CorrelationContext: map[string]any{},
	}
}

// Notices reads all notices of a fault, the newest first.
func (s *Server) Notices(m Manager, fault int64) []Notice {
	m.T.Helper()
	return List[Notice](m, s.FaultPath(fault)+"/notices")
}

// Compare fails the test where a notice is not what its client sent. Not in want are what only the moment knows, which
// is checked against since; and the frames below the first, which are the runtime's.
func Compare(t testing.TB, got, want Notice, since time.Time) {
	t.Helper()
	moment := cmpopts.IgnoreFields(Notice{}, "CreatedAt", "URL", "Backtrace", "Environment.Stats", "Environment.Time")
	if diff := cmp.Diff(want, got, moment); diff != "" {
		t.Errorf("the notice differs from what was reported (-reported +shown):\n%s", diff)
	}
	if diff := cmp.Diff(want.Backtrace, got.Backtrace[:min(len(want.Backtrace), len(got.Backtrace))]); diff != "" {
		t.Errorf("the backtrace differs from what was reported (-reported +shown):\n%s", diff)
	}
	if now := time.Now(); got.CreatedAt.Before(since) || got.CreatedAt.After(now) {
		t.Errorf("created_at is %v, want it between %v and %v", got.CreatedAt, since, now)
	}
	if !strings.HasSuffix(got.URL, "/"+got.ID) {
		t.Errorf("url is %q, want it to end with the notice's id", got.URL)
	}
}

// CompareFault fails the test where a fault is not as its notices make it.
func CompareFault(t testing.TB, got, want Fault) {
	t.Helper()
	moment := cmpopts.IgnoreFields(Fault{}, "ID", "CreatedAt", "LastNoticeAt", "URL")
	if diff := cmp.Diff(want, got, moment); diff != "" {
		t.Errorf("the fault differs from what was reported (-reported +shown):\n%s", diff)
	}
}
