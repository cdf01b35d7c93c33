package apiv3

import (
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"sett/internal/serve"
	"sett/internal/sett/shape"
)

const (
	faultsPath = projectPath + "/faults"
	faultPath  = faultsPath + "/{fault_id}"
)

func faultOperations() []operation {
	return []operation{
		{Name: "listFaults", Method: "GET", Path: faultsPath, Scope: "faults:read", Route: "listFaults", List: pages, View: as[shape.Fault](), Differs: "`sort` has no effect."},
		{Name: "getFaultSummary", Method: "GET", Path: faultsPath + "/summary", Scope: "faults:read", Route: "summarizeFaults", View: as[FaultSummary]()},
		{Name: "getFault", Method: "GET", Path: faultPath, Scope: "faults:read", Route: "getFault", Needs: []string{"listNotices"}, View: wholeFault(), Differs: "`recording_paused_until` is null."},
		{Name: "listFaultOccurrences", Method: "GET", Path: faultPath + "/occurrences", Scope: "faults:read", Route: "listFaultOccurrences", View: as[bucket](), Run: (*call).showFaultSeries, Differs: "Takes `period` (hour, day, week, month) instead of times and a search."},
		{Name: "listFaultAffectedUsers", Method: "GET", Path: faultPath + "/affected_users", Scope: "faults:read", Route: "listAffectedUsers", List: whole, View: as[AffectedUser]()},
	}
}

// wholeFault shows one error with the deploy that its newest notice ran on.
func wholeFault() view {
	v := as[shape.Fault]()
	plain := v.of
	v.of = func(c *call, raw json.RawMessage) (any, error) {
		shown, err := plain(c, raw)
		f, ok := shown.(shape.Fault)
		if !ok || f.NoticesCount == 0 {
			return shown, err
		}
		f.LastNoticeDeploy = c.newestDeploy(f.ProjectID)
		return f, nil
	}
	return v
}

// newestDeploy is the deploy of the newest notice of the fault of the request; nil if it is not known, or not readable now.
func (c *call) newestDeploy(project id) *shape.Deploy {
	found, err := c.ask("listNotices", url.Values{"limit": {"1"}}, nil)
	if err != nil {
		return nil
	}
	var list struct {
		Results []struct{ Deploy *shape.Deploy }
	}
	if json.Unmarshal(found.Body, &list) != nil || len(list.Results) == 0 || list.Results[0].Deploy == nil {
		return nil
	}
	list.Results[0].Deploy.ProjectID = project
	return list.Results[0].Deploy
}

// FaultSummary counts the faults that match a search.
type FaultSummary struct {
	Total        int64             `json:"total"`
	Environments []faultSummaryRow `json:"environments"`
}

type faultSummaryRow struct {
	Environment *string `json:"environment"`
	Resolved    bool    `json:"resolved"`
	Ignored     bool    `json:"ignored"`
	Count       int64   `json:"count"`
}

// AffectedUser is a user who met an error.
type AffectedUser struct {
	User  string `json:"user"`
	Count int64  `json:"count"`
}

func (c *call) showFaultSeries() error {
	found, err := c.ask("listFaultOccurrences", c.passed(), nil)
	if err != nil {
		return err
	}
	buckets, err := bucketsOf(found.Body)
	if err != nil {
		return err
	}
	return writeOne(c, buckets, c.faultSeriesMeta(buckets))
}

// faultSeriesMeta says what a series of a fault is about.
type faultSeriesMeta struct {
	meta
	Window    [2]*time.Time `json:"window"`
	Seconds   *int64        `json:"interval_seconds"`
	Truncated bool          `json:"retention_truncated"`
}

func (c *call) faultSeriesMeta(b []bucket) faultSeriesMeta {
	m := faultSeriesMeta{meta: c.meta()}
	if len(b) > 1 {
		step := int64(b[1].Timestamp.Sub(b[0].Timestamp) / time.Second)
		m.Seconds, m.Window = &step, [2]*time.Time{&b[0].Timestamp, &b[len(b)-1].Timestamp}
	}
	return m
}

// writeOne writes an answer whose meta says more.
func writeOne(c *call, data, meta any) error {
	return serve.WriteJSON(c.w, http.StatusOK, one{data, meta})
}
