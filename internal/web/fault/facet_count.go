package fault

import (
	"context"
	"slices"
	"strings"
	"time"

	"sett/internal/event/query"
	"sett/internal/event/useragent"
	"sett/internal/store/searchdb"
	"sett/internal/web"
)

// countedKey names some facets of a project.
type countedKey struct {
	project int64
	erased  string // faultdb.ErasureState: nothing that is kept may name a user who was erased since
	keys    string
}

const mostOfFacets = 50 // values of a key that are kept

// countFacets returns the values of some keys of a project. Where there are many events or errors, the newest are counted first, and more of them in
// the background.
func (p *pages) countFacets(ctx context.Context, now time.Time, project int64, keys []string) (searchdb.Facets, error) {
	erased, err := p.Faults.ErasureState(ctx, project)
	if err != nil {
		return searchdb.Facets{}, err
	}
	return p.countFacetsAsOf(ctx, now, project, erased, keys)
}

// mostCountedProjects is of how many projects the panel of a list of all counts the values: those with the newest notices.
const mostCountedProjects = 10

// countFacetsOf adds up the values of some projects.
func (p *pages) countFacetsOf(ctx context.Context, now time.Time, projects []int64, keys []string) (all searchdb.Facets, err error) {
	all.Values = map[string][]searchdb.FacetValue{}
	for _, project := range projects[:min(len(projects), mostCountedProjects)] {
		found, err := p.countFacets(ctx, now, project, keys)
		if err != nil {
			return all, err
		}
		all.Faults, all.Notices = all.Faults+found.Faults, all.Notices+found.Notices
		for key, values := range found.Values {
			all.Values[key] = added(all.Values[key], values)
		}
	}
	return all, nil
}

// added returns values with the counts of both, the most frequent first.
func added(some, more []searchdb.FacetValue) []searchdb.FacetValue {
	if len(some) == 0 {
		return more
	}
	all := slices.Clone(some)
	for _, v := range more {
		i := slices.IndexFunc(all, func(other searchdb.FacetValue) bool { return other.Term == v.Term })
		if i < 0 {
			all = append(all, v)
			continue
		}
		all[i].Count += v.Count
	}
	slices.SortStableFunc(all, func(a, b searchdb.FacetValue) int { return int(b.Count - a.Count) })
	return all
}

// countFacetsAsOf is countFacets in an ErasureState.
func (p *pages) countFacetsAsOf(ctx context.Context, now time.Time, project int64, erased string, keys []string) (searchdb.Facets, error) {
	return p.counted.Read(ctx, now, countedKey{project, erased, strings.Join(keys, " ")}, web.Parts[searchdb.Facets]{
		Some: func(ctx context.Context) (searchdb.Facets, bool, error) {
			found, all, err := p.Search.CountNewestFacets(ctx, project, keys)
			return shorten(found), all, err
		},
		All: func(ctx context.Context) (searchdb.Facets, error) {
			found, err := p.Search.CountFacets(ctx, project, keys)
			return shorten(found), err
		},
	})
}

// shorten leaves the values that a panel may show.
func shorten(found searchdb.Facets) searchdb.Facets {
	if values := found.Values[browserKey]; values != nil {
		found.Values[browserKey] = browserValues(values)
	}
	for key, values := range found.Values {
		found.Values[key] = slices.Clone(values[:min(len(values), mostOfFacets)])
	}
	return found
}

// browserValues adds up the values of clients by their families.
func browserValues(values []searchdb.FacetValue) (families []searchdb.FacetValue) {
	for _, v := range values {
		b, ok := useragent.FamilyOf(v.Text)
		if !ok {
			continue
		}
		i := slices.IndexFunc(families, func(f searchdb.FacetValue) bool { return f.Text == b.Name })
		if i < 0 {
			i = len(families)
			families = append(families, searchdb.FacetValue{Text: b.Name, Term: query.Write(browserKey, b.Pattern)})
		}
		families[i].Count += v.Count
	}
	slices.SortStableFunc(families, func(a, b searchdb.FacetValue) int { return int(b.Count - a.Count) })
	return families
}
