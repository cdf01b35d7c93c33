package db

import (
	"maps"
	"slices"
)

func Repeated(n int64, times int) []int64 {
	all := make([]int64, times)
	for i := range all {
		all[i] = n
	}
	return all
}

// Sorted returns the keys of m in order.
func Sorted[K comparable, V any](m map[K]V, order func(a, b K) int) []K {
	return slices.SortedFunc(maps.Keys(m), order)
}
