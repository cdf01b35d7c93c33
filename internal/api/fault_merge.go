package api

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sett/internal/ingest/group"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
)

func (a *API) faultMergeRoutes() []serve.Route {
	const tag = "Faults"
	return []serve.Route{
		{
			Method: "POST", Path: faultPath + "/merge", Name: "mergeFault", Tag: tag, Permission: accounts.WorkFaults,
			Body: triage.FaultMerge{}, Handle: a.mergeFault,
			Doc: "Merge a fault into another one of the same project and environment. The other fault keeps its state and gets the notices, counts and comments of both. Requests for the merged fault return 301 with the URL of the other.",
		},
		{
			Method: "POST", Path: faultPath + "/split", Name: "splitFault", Tag: tag, Permission: accounts.WorkFaults,
			Handle: a.splitFault,
			Doc:    "Split a merged fault off again, with all notices of its fingerprint, including those received after the merge.",
		},
		{
			Method: "GET", Path: faultPath + "/grouping", Name: "getFaultGrouping", Tag: tag, Permission: accounts.ReadProject,
			Result: FaultGrouping{}, Handle: a.getFaultGrouping,
			Doc: "Explain why the notices of a fault are grouped: the inputs of its key, and the faults that were merged into it.",
		},
	}
}

// mergeFault takes a body without a wrapping, and answers with an empty one, as the other actions do.
func (a *API) mergeFault(w http.ResponseWriter, r *http.Request) error {
	var body triage.FaultMerge
	if err := decodeOwn(w, r, &body); err != nil {
		return err
	}
	if err := body.Validate(); err != nil {
		return err
	}
	return done(w, http.StatusOK, a.Faults.MergeFault(r.Context(), a.Now(), userID(r), pathID(r, "project_id"), pathID(r, "fault_id"), body))
}

func (a *API) splitFault(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusOK, a.Faults.SplitFault(r.Context(), a.Now(), userID(r), pathID(r, "project_id"), pathID(r, "fault_id")))
}

// FaultGrouping is why the notices of a fault are together.
type FaultGrouping struct {
	Parts []FaultPart `json:"parts" doc:"The fingerprint of the fault first, then those of merged faults."`
}

// FaultPart is one fingerprint that a fault stands for.
type FaultPart struct {
	FaultID      int64        `json:"fault_id" doc:"Id of the fault, or of the merged fault."`
	Key          string       `json:"key" doc:"The key that the notices share, as hexadecimal digits."`
	Klass        string       `json:"klass"`
	Component    *string      `json:"component"`
	Action       *string      `json:"action"`
	Message      string       `json:"message"`
	Basis        string       `json:"basis" enum:"fingerprint,location,message" doc:"What the key is based on."`
	Inputs       PartInputs   `json:"inputs" doc:"The inputs of the key; empty if not used."`
	Rule         int          `json:"rule" doc:"Version of the grouping rule."`
	Reasons      []string     `json:"reasons" doc:"The explanation in sentences."`
	WentOn       []PartStep   `json:"went_on" doc:"How the fault went on under other keys, the earliest first; at most 100."`
	NoticesCount int64        `json:"notices_count" doc:"Number of all notices with this fingerprint."`
	LastNoticeAt *time.Time   `json:"last_notice_at"`
	MergedAt     *time.Time   `json:"merged_at" doc:"Null for the fault itself."`
	MergedBy     *sett.Person `json:"merged_by"`
}

// PartStep is how a fault went on under another key.
type PartStep struct {
	Key    string    `json:"key" doc:"The other key, as hexadecimal digits."`
	Why    string    `json:"why" enum:"line,message,names,rule,own" doc:"line: it moved; message: they are alike; names: the function was renamed; rule: sett changed; own: the rules of the project changed."`
	Reason string    `json:"reason" doc:"The explanation in a sentence."`
	At     time.Time `json:"at" doc:"When the first notice with the key came."`
}

// PartInputs are what a key was made of, normalised and cut to 500 characters each.
type PartInputs struct {
	Environment string `json:"environment"`
	Fingerprint string `json:"fingerprint"`
	Klass       string `json:"klass"`
	Component   string `json:"component"`
	File        string `json:"file"`
	Method      string `json:"method"`
	Line        string `json:"line"`
	Message     string `json:"message" doc:"The message without numbers, ids, addresses, times and quoted text."`
}

func (a *API) getFaultGrouping(w http.ResponseWriter, r *http.Request) error {
	found, err := a.Faults.ListParts(r.Context(), pathID(r, "project_id"), pathID(r, "fault_id"))
	if err != nil {
		return err
	}
	view := FaultGrouping{}
	for _, p := range found {
		part, err := viewPart(p)
		if err != nil {
			return err
		}
		view.Parts = append(view.Parts, part)
	}
	return serve.WriteJSON(w, http.StatusOK, view)
}

func viewPart(p triage.FaultPart) (FaultPart, error) {
	var g faults.Grouping
	if err := json.Unmarshal([]byte(p.Grouping), &g); err != nil {
		return FaultPart{}, fmt.Errorf("read grouping: %w", err)
	}
	steps := []PartStep{}
	for _, s := range group.ExplainSteps(g, p.GoneOn) {
		steps = append(steps, PartStep{hex.EncodeToString(s.Key), string(s.Why), s.Reason, s.At})
	}
	return FaultPart{
		WentOn: steps, FaultID: p.ID, Key: hex.EncodeToString(p.Key), Klass: p.Class, Component: nullText(p.Component), Action: nullText(p.Action), Message: p.Message,
		Basis: g.Basis, Rule: g.Rule, Reasons: group.Explain(g), NoticesCount: p.NoticesCount, LastNoticeAt: nullTime(p.LastNoticeAt),
		MergedAt: nullTime(p.MergedAt), MergedBy: p.MergedBy,
		Inputs: PartInputs{
			Environment: g.Environment, Fingerprint: g.Fingerprint, Klass: g.Class, Component: g.Component, File: g.File, Method: g.Method,
			Line: g.Line, Message: g.Message,
		},
	}, nil
}

// merged answers requests for a merged fault: reads are redirected to the other fault, and changes get its URL in the error.
// Any other NotFound error stays as it is.
func (a *API) merged(w http.ResponseWriter, r *http.Request, missing error) error {
	fault := pathID(r, "fault_id")
	if sett.CodeOf(missing) != sett.NotFound || fault == 0 {
		return missing
	}
	into, err := a.Faults.MergedInto(r.Context(), pathID(r, "project_id"), fault)
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		return missing
	case err != nil:
		return err
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return triage.MergedError(fault, into)
	}
	there := *r.URL
	there.Path = strings.Replace(there.Path, faultSegment(fault), faultSegment(into), 1)
	w.Header().Set("Location", a.BaseURL+there.RequestURI())
	return serve.WriteJSON(w, http.StatusMovedPermanently, movedBody{triage.MergedError(fault, into).Error()})
}

// movedBody says where a fault is now, in the form of an error.
type movedBody struct {
	Errors string `json:"errors"`
}

// faultSegment is how a path names a fault.
func faultSegment(id int64) string { return "/faults/" + strconv.FormatInt(id, 10) }
