package trial

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
	"sett/internal/sett/regroup"
)

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// short is an outcome in short.
type short struct{ Joins, Parts, Adopts []string }

func inShort(o Outcome) (s short) {
	for _, j := range o.Joins {
		line := fmt.Sprintf("%d(%d)", j.Into.Fault, j.Into.Count)
		for _, other := range j.Others {
			line += fmt.Sprintf(" < %d(%d", other.Fault, other.Count)
			if other.All {
				line += " all"
			}
			line += ")"
		}
		s.Joins = append(s.Joins, line)
	}
	for _, p := range o.Parts {
		line := fmt.Sprint(p.Fault, ":")
		for _, piece := range p.Pieces {
			line += fmt.Sprintf(" %s(%d)→%d", piece.As.Method, piece.Count, piece.Into)
		}
		s.Parts = append(s.Parts, line)
	}
	for _, a := range o.Adopts {
		s.Adopts = append(s.Adopts, fmt.Sprintf("%s→%d", a.Grouping.Method, a.Fault))
	}
	return s
}

// stack is an event of an error: the functions of its backtrace, each in a file of its name.
type stack struct {
	fault int64
	times int
	class string
	text  string
	calls []string
}

func (s stack) body() []byte {
	frames := ""
	for i, call := range s.calls {
		if i > 0 {
			frames += ","
		}
		frames += fmt.Sprintf(`{"file":"src/%s.py","method":"%s","number":"%d"}`, call, call, i+10)
	}
	return fmt.Appendf(nil, `{"error":{"class":"%s","message":"%s","backtrace":[%s]},"server":{"revision":"r1"}}`, s.class, s.text, frames)
}

// outcomeOf tries rules on events; all of them are known by their present keys, but those of errors from 100 on.
func outcomeOf(t *testing.T, present, proposed string, events ...stack) Outcome {
	t.Helper()
	settings := regroup.Settings{Rules: present}
	rules, err := regroup.Parse(proposed)
	if err != nil {
		t.Fatal(err)
	}
	tried := New(accounts.KeyedProject{ProjectID: 1}, settings.Compiled(), rules)
	for _, e := range events {
		for range max(e.times, 1) {
			tried.Add(Stored{e.fault, e.fault, e.body()}, noon)
		}
	}
	known := map[Key]int64{}
	for _, m := range tried.moves {
		if m.fault < 100 {
			known[m.moveKey.old] = m.fault
		}
	}
	for _, key := range tried.Keys() {
		if _, ok := known[key]; !ok {
			known[key] = 0
		}
	}
	return tried.Outcome(known)
}

func TestTrialSaysWhatJoinsAndParts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		present, proposed string
		events            []stack
		want              short
	}{
		"nothing": {"", "library: vendor/*", []stack{{1, 2, "A", "", []string{"a"}}}, short{}},
		"one error parts": {"", "library: src/db.py", []stack{
			{1, 5, "A", "", []string{"db", "cart"}}, {1, 9, "A", "", []string{"db", "user"}}, {1, 2, "A", "", []string{"db", "page"}},
		}, short{Parts: []string{"1: user(9)→1 cart(5)→0 page(2)→0"}, Adopts: []string{"user→1"}}},
		"several join": {"library: src/db.py", "", []stack{
			{1, 5, "A", "", []string{"db", "cart"}}, {2, 9, "A", "", []string{"db", "user"}}, {3, 2, "A", "", []string{"other"}},
		}, short{Joins: []string{"2(9) < 1(5 all)"}, Adopts: []string{"db→2"}}},
		"an error goes on under another key": {"", "library: src/db.py", []stack{{1, 5, "A", "", []string{"db", "cart"}}}, short{Adopts: []string{"cart→1"}}},
		"one joins another that does not change": {"", "library: src/db.py", []stack{
			{1, 5, "A", "", []string{"db", "cart"}}, {2, 1, "A", "", []string{"cart"}},
		}, short{Adopts: []string{"cart→1"}}},
		"messages part": {"", "message: on for A", []stack{
			{1, 3, "A", "no price for pears", []string{"a"}}, {1, 2, "A", "no price for plums", []string{"a"}},
		}, short{Parts: []string{"1: a(3)→1 a(2)→0"}, Adopts: []string{"a→1"}}},
		"messages join": {"message: on for A", "", []stack{
			{1, 3, "A", "no price for pears", []string{"a"}}, {2, 5, "A", "no price for plums", []string{"a"}},
		}, short{Joins: []string{"2(5) < 1(3 all)"}, Adopts: []string{"a→2", "a→2"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := outcomeOf(t, c.present, c.proposed, c.events...)
			if diff := cmp.Diff(c.want, inShort(o)); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
			if o.Unsure != 0 {
				t.Errorf("%d events are unsure", o.Unsure)
			}
		})
	}
}

func TestEventsThatWereGroupedByMoreThanTheirBodyAreNotTried(t *testing.T) {
	t.Parallel()
	o := outcomeOf(t, "", "library: src/db.py", stack{100, 4, "A", "", []string{"db", "cart"}}, stack{1, 1, "A", "", []string{"db", "cart"}})
	if o.Looked != 5 || o.Unsure != 4 {
		t.Errorf("looked at %d events, %d unsure", o.Looked, o.Unsure)
	}
}
