package fault

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"sett/internal/ingest/group"
	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store/faultdb"
	"sett/internal/web"
)

// part is one fingerprint of a fault, with the reasons for its grouping.
type part struct {
	ID       int64
	Title    string
	Own      bool
	Count    int64
	Reasons  []string
	Steps    []going // by which it went on
	MergedAt time.Time
	By       string
}

// going is how a part went on.
type going struct {
	group.Step
	Hex string // its key
}

func newPart(f triage.FaultPart) part {
	one := part{ID: f.ID, Title: cut(orWord(f.Class, "Error")+": "+f.Message, 100), Own: f.Own(), Count: f.NoticesCount, MergedAt: f.MergedAt, By: f.MergedBy.Called()}
	var g faults.Grouping
	if json.Unmarshal([]byte(f.Grouping), &g) == nil {
		one.Reasons = group.Explain(g)
	}
	for _, s := range group.ExplainSteps(g, f.GoneOn) {
		one.Steps = append(one.Steps, going{s, hex.EncodeToString(s.Key)})
	}
	return one
}

// mostLastSteps is how many steps the page of an error shows.
const mostLastSteps = 3

// LastSteps are the steps that the page of an error shows: the newest.
func (p part) LastSteps() []going { return p.Steps[max(0, len(p.Steps)-mostLastSteps):] }

// faultNumber matches the number of a fault in user input: the number itself, or the URL of its page.
var faultNumber = regexp.MustCompile(`(?:/faults/|^#?)(\d{1,18})(?:[?#/].*)?$`)

func (p *pages) merge(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	sent := form.Get("into_id")
	var into int64
	if m := faultNumber.FindStringSubmatch(sent); m != nil {
		into, _ = strconv.ParseInt(m[1], 10, 64)
	}
	now, id, done := p.Now(), web.PathID(r, "fault_id"), faultdb.MergeOutcome{}
	if into == 0 || into == id {
		err = sett.Errorf(sett.Invalid, "Enter the number of another error in this project.")
	} else if _, err = p.Faults.FaultByID(r.Context(), web.Project(r), id); err == nil {
		done, err = p.Faults.MergeFaults(r.Context(), now, web.Who(r).User.ID, web.Project(r), []int64{id}, into)
	}
	if err != nil {
		return p.mergeAgain(w, r, err, sent)
	}
	word := "merged"
	if done.Nested {
		word = "merged_parts"
	}
	return p.doneAt(w, faultAddress(web.Project(r), into), word, now, done.Changed > 0)
}

// split splits a merged fault off again.
func (p *pages) split(w http.ResponseWriter, r *http.Request) error {
	if err := p.Faults.SplitFault(r.Context(), p.Now(), web.Who(r).User.ID, web.Project(r), web.PathID(r, "fault_id")); err != nil {
		return err
	}
	return p.Done(w, address(r), "split")
}
