package sett

// CheckInRename is what becomes of the name of one of the check-ins of a project that change together.
type CheckInRename struct {
	Has   string // "" also when it is not there yet
	Wants string
	Stays bool // it was refused something else, and keeps the name that it has
}

// RefuseRenames says of each rename whether it is refused, because another of the check-ins has its name in the end. One
// that keeps its name goes before those that want it, and of these the first. What a refused one has stays taken, so that
// others may be refused in turn.
func RefuseRenames(renames []CheckInRename) (refused []bool) {
	refused = make([]bool, len(renames))
	owners := map[string]int{} // of the names in the end
	for i, r := range renames {
		if r.Stays || r.Has == r.Wants {
			owners[r.Has] = i
		}
	}
	var refuse func(i int)
	refuse = func(i int) {
		refused[i] = true
		name := renames[i].Has
		before, taken := owners[name]
		owners[name] = i
		if name != "" && taken && before != i {
			refuse(before)
		}
	}
	for i, r := range renames {
		if r.Stays || r.Has == r.Wants || r.Wants == "" {
			continue
		}
		if _, taken := owners[r.Wants]; taken {
			refuse(i)
		} else {
			owners[r.Wants] = i
		}
	}
	return refused
}
