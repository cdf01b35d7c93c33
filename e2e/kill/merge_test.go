package kill

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// TestMergesSurviveKills kills the server over and over while a user merges and splits faults to which clients report. What
// was answered must have been done, what was not must have been done whole or not at all, and every notice that was accepted
// is counted once: where its fingerprint is while faults are merged, and as if they never had been once all are split.
func TestMergesSurviveKills(t *testing.T) {
	t.Parallel()
	for engine, database := range map[string]string{"sqlite": "", "postgres": rig.DurablePostgres(t)} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			killMerges(t, database)
		})
	}
}

// merger merges and splits the faults of a project, and knows what was merged into what.
type merger struct {
	s      *rig.Server
	faults []int64         // all that ever were
	into   map[int64]int64 // those that are merged, and where their notices are read
	next   map[int64]int64 // into, once what is being asked for is done; nil when nothing is
	merged int             // how often that was asked for
	split  int             // the same
}

// begin merges and splits until the server dies.
func (m *merger) begin(base string) (end func()) {
	ended := make(chan struct{})
	web := &http.Client{Timeout: 30 * time.Second}
	go func() {
		defer close(ended)
		for m.once(web, base) {
			m.into, m.next = m.next, nil
		}
	}()
	return func() { <-ended }
}

// once merges or splits something, and reports whether that was answered well.
func (m *merger) once(web *http.Client, base string) bool {
	m.next = maps.Clone(m.into)
	parts := slices.Sorted(maps.Keys(m.into))
	if len(parts) > 0 && rand.IntN(3) == 0 {
		part := parts[rand.IntN(len(parts))]
		delete(m.next, part)
		m.split++
		return m.ask(web, fmt.Sprint(base, m.s.FaultPath(part), "/split"), nil)
	}
	alone := slices.DeleteFunc(slices.Clone(m.faults), func(id int64) bool { return m.into[id] != 0 })
	if len(alone) < 2 {
		return false
	}
	rand.Shuffle(len(alone), func(i, j int) { alone[i], alone[j] = alone[j], alone[i] })
	fault, into := alone[0], alone[1]
	for part, at := range m.into {
		if at == fault {
			m.next[part] = into
		}
	}
	m.next[fault] = into
	m.merged++
	return m.ask(web, fmt.Sprint(base, m.s.FaultPath(fault), "/merge"), map[string]int64{"into_id": into})
}

func (m *merger) ask(web *http.Client, address string, body any) bool {
	sent, _ := json.Marshal(body)
	r, err := http.NewRequest(http.MethodPost, address, bytes.NewReader(sent))
	if err != nil {
		return false
	}
	r.Header.Set("Content-Type", "application/json")
	r.SetBasicAuth(m.s.AuthToken, "")
	answer, err := web.Do(r)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// groupingPart is a part of a fault as the interface shows it.
type groupingPart struct {
	FaultID      int64      `json:"fault_id"`
	Klass        string     `json:"klass"`
	NoticesCount int        `json:"notices_count"`
	MergedAt     *time.Time `json:"merged_at"`
}

func (m *merger) parts(manage rig.Manager, fault int64) []groupingPart {
	var grouping struct{ Parts []groupingPart }
	manage.Get(m.s.FaultPath(fault)+"/grouping", &grouping)
	return grouping.Parts
}

// check holds what the server shows against what was answered. What was asked for last may have been done.
func (m *merger) check(manage rig.Manager) {
	manage.T.Helper()
	shown := map[int64]int64{}
	for _, f := range m.s.Faults(manage) {
		for _, part := range m.parts(manage, f.ID) {
			if part.MergedAt != nil {
				shown[part.FaultID] = f.ID
			}
		}
	}
	switch {
	case maps.Equal(shown, m.into):
	case m.next != nil && maps.Equal(shown, m.next):
		m.into = m.next
	default:
		manage.T.Fatalf("merged are %v, want %v or, if what was asked for last was done, %v", shown, m.into, m.next)
	}
	m.next = nil
}

// prove checks that each fault counts and shows the notices of its parts, while some are merged.
func (m *merger) prove(manage rig.Manager) {
	manage.T.Helper()
	var wrong load.Problems
	for _, f := range m.s.Faults(manage) {
		notices := rig.List[load.StoredNotice](manage, m.s.FaultPath(f.ID)+"/notices")
		of := map[string]int{}
		for _, n := range notices {
			of[load.ClassName(n.Request.Context.Serial)]++
		}
		for _, part := range m.parts(manage, f.ID) {
			if part.NoticesCount != of[part.Klass] {
				wrong.Add("part %d of fault %d counts %d notices of %s, but has %d", part.FaultID, f.ID, part.NoticesCount, part.Klass, of[part.Klass])
			}
			delete(of, part.Klass)
		}
		if len(of) > 0 {
			wrong.Add("fault %d shows notices of %v, which are none of its parts", f.ID, of)
		}
		load.ProveFault(m.s, manage, &wrong, f, len(notices))
	}
	wrong.Report(manage.T)
}

func killMerges(t *testing.T, database string) {
	s := rig.Prepare(t, database)
	l := load.New(s.APIKey)
	s.Restart(t)
	end := l.Begin(s.Base)
	l.Await(t, 10*load.LoadFaults)
	end()
	m := &merger{s: s, into: map[int64]int64{}}
	for _, f := range s.Faults(s.Manage(t)) {
		m.faults = append(m.faults, f.ID)
	}
	n := max(load.Kills(t)/6, 1)
	for range n {
		endLoad, endMerges := l.Begin(s.Base), m.begin(s.Base)
		l.Await(t, rand.IntN(load.MostAnswers))
		<-time.After(rand.N(load.MostDelay))
		s.Kill()
		endLoad()
		endMerges()
		s.Restart(t)
		m.check(s.Manage(t))
	}
	l.Drain(t, s.Base)
	manage := s.Manage(t)
	m.prove(manage)
	merged := len(m.into)
	for part := range m.into {
		manage.Do(http.MethodPost, s.FaultPath(part)+"/split", nil, http.StatusOK)
	}
	found := load.Prove(t, s, l)
	s.Stop(t)
	t.Logf("%d kills between %d merges and %d splits, %d faults merged in the end: %s", n, m.merged, m.split, merged, found)
}
