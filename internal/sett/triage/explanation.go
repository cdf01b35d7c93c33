package triage

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// FaultExplanation says what the notices of a fault have in common, and what of it has changed of late.
type FaultExplanation struct {
	Recent, Before int           // notices that were looked at: of the last hour, and before it
	Changes        []FacetChange // the greatest first; none: nothing stands out
	Common         []FacetTop    // by ExplainedFacets
}

// ExplainedFacets are the facets that are looked at, by the search keys that find their values.
var ExplainedFacets = []string{
	"revision", "hostname", "request.url", "request.host", "request.method", "request.user_agent", "file",
	"context.user_id", "context.user_email", "context.user.id", "context.user.email",
}

// When the share of a value has changed so much that it stands out.
const (
	LeastEvidence = 20   // notices on each side
	leastChange   = 0.25 // of the share
	surelyChanged = 4    // standard errors of the difference of two shares, whatever their number would make likely
	mostChanges   = 5
	mostTops      = 5
)

// FacetChange is a value of which the share has changed.
type FacetChange struct {
	Facet, Value   string // lower case, as searches have it
	Recent, Before int    // notices that have it
	From, To       float64
}

// FacetTop is what a facet has most, of all notices that were looked at.
type FacetTop struct {
	Facet  string
	Values []FacetCount
}

// FacetCount is in how many notices a facet has a value.
type FacetCount struct {
	Value string
	Count int
	Share float64
}

// Explain compares the facets of notices (Report.Facets) of the last hour with those before it.
func Explain(recent, before []string) FaultExplanation {
	e := FaultExplanation{Recent: len(recent), Before: len(before)}
	now, then := countFacets(recent), countFacets(before)
	for _, facet := range ExplainedFacets {
		if top := topOf(facet, now[facet], then[facet], len(recent)+len(before)); len(top.Values) > 0 {
			e.Common = append(e.Common, top)
		}
		e.Changes = append(e.Changes, e.changes(facet, now[facet], then[facet])...)
	}
	slices.SortStableFunc(e.Changes, func(a, b FacetChange) int { return cmp.Compare(math.Abs(b.To-b.From), math.Abs(a.To-a.From)) })
	e.Changes = e.Changes[:min(len(e.Changes), mostChanges)]
	return e
}

// countFacets counts in how many notices each facet has each value.
func countFacets(notices []string) map[string]map[string]int {
	counts := map[string]map[string]int{}
	for _, facet := range ExplainedFacets {
		counts[facet] = map[string]int{}
	}
	seen := map[string]bool{}
	for _, facets := range notices {
		clear(seen)
		for line := range strings.Lines(facets) {
			line = strings.TrimSuffix(line, "\n")
			facet, value, _ := strings.Cut(line, "=")
			values, ok := counts[facet]
			if !ok || value == "" || seen[line] {
				continue
			}
			seen[line] = true
			values[value]++
		}
	}
	return counts
}

// changes returns the values of a facet that stand out. Where one value gives way to another, only the one that grows is
// returned.
func (e FaultExplanation) changes(facet string, now, then map[string]int) (found []FacetChange) {
	if e.Recent < LeastEvidence || e.Before < LeastEvidence {
		return nil
	}
	for _, value := range valuesOf(now, then) {
		c := FacetChange{Facet: facet, Value: value, Recent: now[value], Before: then[value]}
		c.From, c.To = float64(c.Before)/float64(e.Before), float64(c.Recent)/float64(e.Recent)
		if c.To-c.From >= leastChange && c.To-c.From >= surelyChanged*e.error(c) {
			found = append(found, c)
		}
	}
	return found
}

// error is the standard error of the difference of the shares, as if they were the same.
func (e FaultExplanation) error(c FacetChange) float64 {
	both := float64(c.Recent+c.Before) / float64(e.Recent+e.Before)
	return math.Sqrt(both * (1 - both) * (1/float64(e.Recent) + 1/float64(e.Before)))
}

// valuesOf returns the values that any side has, in an order that does not change.
func valuesOf(now, then map[string]int) (values []string) {
	for v := range now {
		values = append(values, v)
	}
	for v := range then {
		if now[v] == 0 {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	return values
}

func topOf(facet string, now, then map[string]int, notices int) FacetTop {
	top := FacetTop{Facet: facet}
	for _, v := range valuesOf(now, then) {
		n := now[v] + then[v]
		top.Values = append(top.Values, FacetCount{v, n, float64(n) / float64(notices)})
	}
	slices.SortStableFunc(top.Values, func(a, b FacetCount) int { return cmp.Compare(b.Count, a.Count) })
	top.Values = top.Values[:min(len(top.Values), mostTops)]
	return top
}
