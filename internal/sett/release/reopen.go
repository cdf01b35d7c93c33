package release

// Place is the place of a release among those of its project: when it was first named.
type Place struct {
	At int64 // µs
	ID int64 // in the order in which releases were stored, for two of one moment
}

// Before reports whether a release was named before another.
func (p Place) Before(other Place) bool {
	return p.At < other.At || p.At == other.At && p.ID < other.ID
}

// Reopens reports whether a notice reopens a resolved fault, of its revision and the release in which the fault is resolved; "" for none.
// Only one of a release that was named before does not. What cannot be compared reopens, so that no error stays silent by mistake: a
// revision that is no release, or is not known yet, and a release that was deleted. named has the releases of the project.
func Reopens(resolvedIn, revision string, named map[string]Place) bool {
	in, known := named[resolvedIn]
	of, older := named[revision]
	return !known || !older || !of.Before(in)
}
