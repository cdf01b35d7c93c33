package api

// viewAll is how the interface shows each of the results; never null.
func viewAll[T, V any](results []T, view func(T) V) []V {
	views := make([]V, len(results))
	for i, result := range results {
		views[i] = view(result)
	}
	return views
}
