package api

import (
	"slices"

	"sett/internal/sett"
)

// viewAll is how the interface shows each of the results; never null.
func viewAll[T, V any](results []T, view func(T) V) []V {
	views := make([]V, len(results))
	for i, result := range results {
		views[i] = view(result)
	}
	return views
}

// pageOf cuts a page of a list that is in memory; mark returns what is unique of an entry.
func pageOf[T any](p sett.Page, all []T, mark func(T) string) ([]T, sett.Marks) {
	first := slices.IndexFunc(all, func(v T) bool { return mark(v) == p.Mark })
	skip, most := p.Rows()
	switch {
	case p.Mark != "" && p.Back:
		all = slices.Clone(all[:first+1])
		slices.Reverse(all)
	case p.Mark != "":
		all = all[first+1:]
	default:
		all = all[min(skip, len(all)):]
	}
	return sett.Cut(p, slices.Clone(all[:min(most, len(all))]), mark)
}
