package store

import (
	"cmp"
	"maps"
	"slices"

	"sett/internal/sett"
)

// collectCounts counts together what is in the environments that have fewest faults, where there are more environments than
// are shown.
func collectCounts(counts []FaultCount) []FaultCount {
	faults := map[string]int64{}
	for _, n := range counts {
		faults[n.Environment] += n.Count
	}
	if len(faults) <= sett.MostEnvironmentsShown {
		return counts
	}
	delete(faults, sett.OtherEnvironment)
	names := slices.SortedFunc(maps.Keys(faults), func(a, b string) int {
		return cmp.Or(cmp.Compare(faults[b], faults[a]), cmp.Compare(a, b))
	})
	shown := map[string]bool{}
	for _, name := range names[:sett.MostEnvironmentsShown-1] {
		shown[name] = true
	}
	sums := map[FaultCount]int64{}
	for _, n := range counts {
		if !shown[n.Environment] {
			n.Environment = sett.OtherEnvironment
		}
		sums[FaultCount{n.Environment, n.Resolved, n.Ignored, 0}] += n.Count
	}
	collected := make([]FaultCount, 0, len(sums))
	for n, sum := range sums {
		n.Count = sum
		collected = append(collected, n)
	}
	slices.SortFunc(collected, func(a, b FaultCount) int {
		return cmp.Or(cmp.Compare(a.Environment, b.Environment), compareBools(a.Resolved, b.Resolved), compareBools(a.Ignored, b.Ignored))
	})
	return collected
}

// compareBools puts false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
