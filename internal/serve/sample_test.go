package serve

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// The sample table has every feature of a route, in the shapes that the interface uses.

type sampleFault struct {
	ID        int64           `json:"id" doc:"Number of the fault."`
	Klass     string          `json:"klass"`
	Assignee  *samplePerson   `json:"assignee"`
	Tags      []string        `json:"tags" enum:"a,b"`
	State     string          `json:"state" enum:"open,done"`
	Component *string         `json:"component"`
	Features  map[string]any  `json:"features"`
	Options   json.RawMessage `json:"options"`
	Action    any             `json:"action"`
	LastAt    *time.Time      `json:"last_at"`
	CreatedAt time.Time       `json:"created_at"`
	URL       string          `json:"url,omitempty"`
	Order     *string         `json:"order,omitempty" enum:"up,down"`
	Count     int64           `json:"count,string"`
	Rate      float64         `json:"rate"`
	Parent    *sampleFault    `json:"parent,omitempty"`
	sampleFlags
	Secret string `json:"-"`
	hidden string
}

type sampleFlags struct {
	Resolved bool      `json:"resolved"`
	ClosedAt time.Time `json:"closed_at,omitzero"`
}

type samplePerson struct {
	ID    int64  `json:"id"`
	Email string `json:"email"`
}

type sampleRow [2]any

func (sampleRow) JSONSchema() map[string]any {
	return object{
		"type": "array", "minItems": 2, "maxItems": 2,
		"prefixItems": []any{object{"type": "integer"}, object{"type": "string"}},
	}
}

type sampleChange struct {
	Fault struct {
		Title      sett.Optional[string] `json:"title,omitzero" range:"1,255" null:"no"`
		Note       sett.Optional[string] `json:"note,omitzero" range:"0,80" example:"Fixed."`
		Remark     sett.Optional[string] `json:"remark,omitzero" instead:"note"`
		Days       sett.Optional[int64]  `json:"days" required:"true" range:"1,3650"`
		Resolved   sett.Optional[bool]   `json:"resolved" doc:"Marks it as fixed."`
		AssigneeID sett.Optional[int64]  `json:"assignee_id,omitzero"`
		State      sett.Optional[string] `json:"state" enum:"open,done"`
		Frequency  int                   `json:"frequency,omitempty" enum:"1,5,15"`
	} `json:"fault" needs:"title"`
}

type sampleQuery struct {
	Q            string                `query:"q" doc:"Search text."`
	Order        string                `query:"order" enum:"recent,frequent"`
	CreatedAfter sett.Optional[int64]  `query:"created_after"`
	Environment  sett.Optional[string] `query:"environment"`
	Deep         bool                  `query:"deep"`
	Day          sampleDay             `query:"day"`
	sampleMore
}

type sampleMore struct {
	Depth int `query:"depth"`
}

type sampleDay struct{ text string }

func (d *sampleDay) UnmarshalText(text []byte) error {
	if _, err := time.Parse(time.DateOnly, string(text)); err != nil {
		return errors.New("must be a day")
	}
	d.text = string(text)
	return nil
}

func (sampleDay) JSONSchema() map[string]any { return object{"type": "string", "format": "date"} }

func sampleRoutes() []Route {
	return []Route{
		{
			Method: "GET", Path: "/v2/projects/{project_id}/faults", Name: "listFaults", Tag: "Faults", PageSize: ShortPage,
			Permission: accounts.ReadProject, Query: sampleQuery{}, Result: List[sampleFault]{}, Doc: "Lists faults.",
			Handle: func(w http.ResponseWriter, r *http.Request) error {
				var problems sett.Problems
				p := PageOf(&problems, r)
				if err := problems.Refusal(); err != nil {
					return err
				}
				one := sampleFault{Tags: []string{}, State: "open", Features: map[string]any{}}
				return WriteJSON(w, 200, NewList("http://sett.test", r, p, []sampleFault{one}, sett.Marks{Next: "c9"}))
			},
		},
		{
			Method: "GET", Path: "/v2/projects/{project_id}/faults/{fault_id}", Name: "showFault", Tag: "Faults",
			Permission: accounts.ReadProject, Result: sampleFault{}, Doc: "Shows a fault.",
			Handle: func(w http.ResponseWriter, r *http.Request) error {
				if r.PathValue("fault_id") == "404" {
					return sett.Errorf(sett.NotFound, "Fault not found")
				}
				return WriteJSON(w, 200, sampleFault{
					Klass: r.PathValue("fault_id"), Tags: []string{"a"}, State: "done", Assignee: &samplePerson{},
					Action: map[string]any{"deep": []any{nil, 1}}, Features: map[string]any{"a": nil, "b": []int{1}},
				})
			},
		},
		{
			Method: "PUT", Path: "/v2/projects/{project_id}/faults/{fault_id}", Name: "changeFault", Tag: "Faults",
			Permission: accounts.WorkFaults, Body: sampleChange{}, Status: 204, Doc: "Changes a fault.",
			Handle: func(w http.ResponseWriter, r *http.Request) error {
				var body sampleChange
				if err := DecodeJSON(w, r, &body); err != nil {
					return err
				}
				w.WriteHeader(http.StatusNoContent)
				return nil
			},
		},
		{
			Method: "GET", Path: "/v2/projects/{project_id}/reports/{report}", Name: "showReport", Tag: "Project reports",
			Permission: accounts.ReadProject, Result: []sampleRow{}, Moved: "It is elsewhere.", Doc: "Counts notices.",
			Handle: func(w http.ResponseWriter, _ *http.Request) error {
				return WriteJSON(w, 200, []sampleRow{{1767225600, "a"}})
			},
		},
		{
			Method: "GET", Path: "/v2/projects/occurrences", Name: "countAll", Tag: "Project reports",
			Permission: accounts.SignedIn, Result: map[string]int{}, Doc: "Counts everything.",
			Handle: func(w http.ResponseWriter, _ *http.Request) error { return WriteJSON(w, 200, map[string]int{"1": 2}) },
		},
		{
			Method: "POST", Path: "/v1/notices", Name: "reportNotice", Tag: "Reporting", Permission: accounts.ReportWithKey,
			Raw: true, Quiet: true, Status: 201, Result: struct {
				ID string `json:"id"`
			}{}, Doc: "Takes a notice.",
			Handle: func(w http.ResponseWriter, _ *http.Request) error {
				return WriteJSON(w, 201, map[string]string{"id": "x"})
			},
		},
		{
			Method: "GET", Path: "/health", Name: "health", Tag: "Other", Permission: accounts.Public, Doc: "Says how it is.",
			Result: map[string]string{}, Also: []int{503},
			Handle: func(w http.ResponseWriter, _ *http.Request) error {
				return WriteJSON(w, 503, map[string]string{"status": "tired"})
			},
		},
		{
			Method: "GET", Path: "/figures", Name: "figures", Tag: "Other", Permission: accounts.Public, Doc: "Counts.",
			Media: "text/plain",
			Handle: func(w http.ResponseWriter, _ *http.Request) error {
				w.Header().Set("Content-Type", "text/plain")
				_, err := w.Write([]byte("things 1"))
				return err
			},
		},
		{
			Method: "GET", Path: "/boom", Name: "boom", Tag: "Other", Permission: accounts.Public, Doc: "Panics.",
			Handle: func(http.ResponseWriter, *http.Request) error { panic("the secret is swordfish") },
		},
	}
}

func sampleInfo() Info {
	return Info{
		Title: "Sample <API>", Version: "1", Description: "For tests.", Docs: "/docs/api", Document: "/openapi.json",
		Params: map[string]PathParam{
			"project_id": {Type: "integer", Doc: "Number of the project."},
			"fault_id":   {Type: "integer"},
			"report":     {Enum: []string{"notices_by_class", "notices_per_day"}},
		},
	}
}

// do sends a request to h; a body of "" is none.
func do(t *testing.T, h http.Handler, method, target, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(context.Background(), method, target, strings.NewReader(body))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
