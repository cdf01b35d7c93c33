package ingest

import (
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/scrub"
)

// Scrubbing keeps the rules by which projects scrub what they report, and counts what is removed until Save is called. The zero value is
// ready. It is safe for concurrent use.
type Scrubbing struct {
	rules  compiled[scrub.Rules]
	counts tally[scrubbedDay]
}

type scrubbedDay struct {
	project int64
	day     time.Time
	kind    scrub.Kind
}

// usualRules are those of projects without settings.
var usualRules, _ = scrub.New(scrub.Settings{})

// rulesOf returns the rules of a project.
func (s *Scrubbing) rulesOf(p accounts.KeyedProject) *scrub.Rules {
	if p.Scrubbing == "" {
		return usualRules
	}
	return s.rules.of(p.Scrubbing, scrub.Stored)
}

// add counts what was removed from a notice of a project.
func (s *Scrubbing) add(project int64, at time.Time, counts scrub.Counts) {
	day := accounts.Day(at)
	for kind, n := range counts {
		s.counts.add(scrubbedDay{project, day, scrub.Kind(kind)}, int64(n))
	}
}

// cleanText returns a text that a project reports, scrubbed by its rules.
func (in *Ingest) cleanText(p accounts.KeyedProject, text string) string {
	var counts scrub.Counts
	clean := in.scrubbing.rulesOf(p).CleanText(text, &counts)
	if p.ProjectID != 0 {
		in.scrubbing.add(p.ProjectID, in.now(), counts)
	}
	return clean
}

// newEvents returns the events of one request of a project, of which there are none yet.
func (in *Ingest) newEvents(p accounts.KeyedProject) *sentEvents {
	return &sentEvents{project: p.ProjectID, rules: in.scrubbing.rulesOf(p)}
}

// submitEvents stores events, and counts what was removed from them, or that the project has sent too many. Errors: those of Events.submit.
func (in *Ingest) submitEvents(s *sentEvents) error {
	err := in.events.submit(s)
	if err == nil {
		in.scrubbing.add(s.project, in.now(), s.scrubbed)
		return nil
	}
	in.dropFor(accounts.KeyedProject{ProjectID: s.project}, logCategory, err, int(s.count))
	return err
}

// Save calls store with what was removed from notices since it was last called, if there is any. What store fails to keep is counted with
// the next call.
func (s *Scrubbing) Save(store func([]scrub.Removed) error) error {
	return s.counts.save(func(counts map[scrubbedDay]int64) error {
		var all []scrub.Removed
		for k, n := range counts {
			all = append(all, scrub.Removed{ProjectID: k.project, Day: k.day, Kind: k.kind.String(), Count: n})
		}
		return store(all)
	})
}
