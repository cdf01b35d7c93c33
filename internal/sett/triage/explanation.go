package triage

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"sett/internal/event/payload"
)

// FaultExplanation says which values the notices of a fault have, and what of it has changed of late.
type FaultExplanation struct {
	Recent, Before int           // notices that were looked at: of the last hour, and before it
	Changes        []FacetChange // the greatest first; none: nothing stands out
	Breakdown      []FacetTop    // of the facets that any of them has
}

// The facets that are looked at, by the search keys that find their values: those of which a breakdown has the values, and others that may change.
var (
	brokenDown = []string{"level", "revision", "browser", "os", "device", "hostname", "request.url", "user"}
	others     = []string{"request.host", "request.method", "file"}
)

// ExplainedFacets returns the facets that are looked at for a fault whose notices have some tags.
func ExplainedFacets(tags []string) []string {
	return slices.Concat(brokenDown, tagPaths(tags), others)
}

// MostTags is how many tags of an event are broken down.
const MostTags = 6

// tagPaths returns the search keys of tags.
func tagPaths(tags []string) (paths []string) {
	for _, tag := range tags[:min(len(tags), MostTags)] {
		paths = append(paths, strings.ToLower(payload.TagPath+tag))
	}
	return paths
}

// When the share of a value has changed so much that it stands out.
const (
	LeastEvidence = 20   // notices on each side
	leastChange   = 0.25 // of the share
	surelyChanged = 4    // standard errors of the difference of two shares, whatever their number would make likely
	mostChanges   = 5
	mostTops      = 4
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
	Other  float64 // the share of the notices that have other values
	None   float64 // and of those that have none
}

// FacetCount is in how many notices a facet has a value.
type FacetCount struct {
	Value string
	Count int
	Share float64
}

// Explain breaks down the facets of notices (Report.Facets), and compares those of the last hour with those before it.
func Explain(recent, before, tags []string) FaultExplanation {
	e := FaultExplanation{Recent: len(recent), Before: len(before)}
	now, then := countFacets(recent, tags), countFacets(before, tags)
	for _, facet := range slices.Concat(brokenDown, tagPaths(tags)) {
		if top := topOf(facet, now[facet], then[facet], len(recent)+len(before)); len(top.Values) > 0 {
			e.Breakdown = append(e.Breakdown, top)
		}
	}
	for _, facet := range ExplainedFacets(tags) {
		e.Changes = append(e.Changes, e.changes(facet, now[facet].values, then[facet].values)...)
	}
	slices.SortStableFunc(e.Changes, func(a, b FacetChange) int { return cmp.Compare(math.Abs(b.To-b.From), math.Abs(a.To-a.From)) })
	e.Changes = e.Changes[:min(len(e.Changes), mostChanges)]
	return e
}

// facetCounts are in how many notices a facet has each value, and any value.
type facetCounts struct {
	values map[string]int
	any    int
}

// countFacets counts in how many notices each facet has each value.
func countFacets(notices, tags []string) map[string]*facetCounts {
	counts := map[string]*facetCounts{}
	for _, facet := range ExplainedFacets(tags) {
		counts[facet] = &facetCounts{values: map[string]int{}}
	}
	for _, facets := range notices {
		for facet, values := range facetsIn(facets, counts) {
			counts[facet].any++
			for _, value := range values {
				counts[facet].values[value]++
			}
		}
	}
	return counts
}

// facetsIn returns the values of a notice of the facets that are counted, each once. Of the names of its user it returns one.
func facetsIn(facets string, counted map[string]*facetCounts) map[string][]string {
	found := map[string][]string{}
	for line := range strings.Lines(facets) {
		facet, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if counted[facet] != nil && value != "" && !slices.Contains(found[facet], value) {
			found[facet] = append(found[facet], value)
		}
	}
	if names := found["user"]; len(names) > 1 {
		i := max(0, slices.IndexFunc(names, func(name string) bool { return strings.Contains(name, "@") }))
		found["user"] = names[i : i+1]
	}
	return found
}

// UsersIn returns how many users the facets of notices name.
func UsersIn(notices []string) int64 { return int64(len(countFacets(notices, nil)["user"].values)) }

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

func topOf(facet string, now, then *facetCounts, notices int) FacetTop {
	top := FacetTop{Facet: facet, None: float64(notices-now.any-then.any) / float64(max(notices, 1))}
	for _, v := range valuesOf(now.values, then.values) {
		n := now.values[v] + then.values[v]
		top.Values = append(top.Values, FacetCount{v, n, float64(n) / float64(notices)})
	}
	slices.SortStableFunc(top.Values, func(a, b FacetCount) int { return cmp.Compare(b.Count, a.Count) })
	top.Values = top.Values[:min(len(top.Values), mostTops)]
	rest := now.any + then.any
	for _, v := range top.Values {
		rest -= v.Count
	}
	top.Other = float64(max(rest, 0)) / float64(max(notices, 1))
	return top
}
