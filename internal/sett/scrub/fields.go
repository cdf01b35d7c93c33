package scrub

import (
	"iter"
	"strings"
)

// Fields scrubs values, as JSON, at keys which may have dots between the names of objects. It adds to counts what was removed.
func (r *Rules) Fields(fields iter.Seq2[string, *string], counts *Counts) {
	if r == nil || r.off {
		return
	}
	shells := shellsAmong(fields)
	for key, value := range fields {
		name, level := r.ofPath(key)
		walk := func(s *scrubber) { s.any(name, level) }
		if r.usual && level == open && shells[key[:len(key)-len(name)]] && !isHarmlessVariable(name) && !r.isKept(name) {
			walk = func(s *scrubber) { s.replace(ByShell) }
		}
		clean, removed := r.run([]byte(*value), nil, nil, walk)
		for kind, n := range removed {
			counts[kind] += n
		}
		if removed.Total() > 0 {
			*value = string(clean)
		}
	}
}

// shellsAmong returns how the keys begin that are in the environment of a shell; nil if none is.
func shellsAmong(fields iter.Seq2[string, *string]) (shells map[string]bool) {
	for key := range fields {
		before, ok := strings.CutSuffix(key, "PATH")
		if !ok || before != "" && !strings.HasSuffix(before, ".") {
			continue
		}
		for other := range fields {
			if name, ok := strings.CutPrefix(other, before); ok && isShellVariable(name) {
				if shells == nil {
					shells = map[string]bool{}
				}
				shells[before] = true
			}
		}
	}
	return shells
}
