package fault

import (
	"slices"
	"strings"
	"sync"
	"time"

	"sett/internal/query"
	"sett/internal/store/fault"
	"sett/internal/useragent"
)

// facetCache keeps the facets of projects with many notices or faults for a while, because reading the newest notices takes longer than all else that a
// list shows. Of a project with fewer it keeps nothing, so that they are exact.
type facetCache struct {
	mu sync.Mutex
	of map[countedKey]countedFacets
}

type countedKey struct {
	project int64
	keys    string
}

type countedFacets struct {
	fault.Facets
	until time.Time
}

const (
	countedFor   = 30 * time.Second
	mostCounted  = 100  // projects
	manyNotices  = 1000 // from which on facets are kept
	manyFaults   = 1000 // the same
	mostOfFacets = 50   // values of a key that are kept
)

// browserValues adds up the values of clients by their families.
func browserValues(values []fault.FacetValue) (families []fault.FacetValue) {
	for _, v := range values {
		b, ok := useragent.FamilyOf(v.Text)
		if !ok {
			continue
		}
		i := slices.IndexFunc(families, func(f fault.FacetValue) bool { return f.Text == b.Name })
		if i < 0 {
			i = len(families)
			families = append(families, fault.FacetValue{Text: b.Name, Term: query.Write(browserKey, b.Pattern)})
		}
		families[i].Count += v.Count
	}
	slices.SortStableFunc(families, func(a, b fault.FacetValue) int { return int(b.Count - a.Count) })
	return families
}

// read returns the facets of a project, which count counts. Several requests at once may count them at once.
func (c *facetCache) read(now time.Time, project int64, keys []string, count func() (fault.Facets, error)) (fault.Facets, error) {
	key := countedKey{project, strings.Join(keys, " ")}
	c.mu.Lock()
	kept, ok := c.of[key]
	c.mu.Unlock()
	if ok && now.Before(kept.until) && !kept.until.After(now.Add(countedFor)) {
		return kept.Facets, nil
	}
	found, err := count()
	if err != nil {
		return found, err
	}
	if values := found.Values[browserKey]; values != nil {
		found.Values[browserKey] = browserValues(values)
	}
	for key, values := range found.Values {
		found.Values[key] = slices.Clone(values[:min(len(values), mostOfFacets)])
	}
	if found.Notices < manyNotices && found.Faults < manyFaults {
		return found, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil || len(c.of) >= mostCounted {
		c.of = map[countedKey]countedFacets{}
	}
	c.of[key] = countedFacets{found, now.Add(countedFor)}
	return found, nil
}
