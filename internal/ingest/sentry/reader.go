package sentry

import (
	"slices"

	"sett/internal/ingest/notice"
)

// Reader reads events, one after another. It uses the memory of an event for the next one, so that a stream of events leaves little to collect. The
// zero value is ready.
type Reader struct {
	event   event
	frames  []frame         // of all backtraces
	trace   []notice.Frame  // of all backtraces, as a notice has them
	members []notice.Member // that are put together from several lists
}

// mostKept is how many elements of a list may have memory that is kept: nearly all events have fewer.
const mostKept = 250

// Forget lets go of the last event.
func (m *Reader) Forget() {
	e := &m.event
	m.event = event{
		exceptions: emptied(e.exceptions), threads: emptied(e.threads), crumbs: emptied(e.crumbs), crumbTimes: emptied(e.crumbTimes), tags: emptied(e.tags), extra: emptied(e.extra),
		request: e.request.emptied(), user: user{all: emptied(e.user.all)}, contexts: e.contexts.emptied(),
	}
	m.frames, m.trace, m.members = emptied(m.frames), emptied(m.trace), emptied(m.members)
}

// emptied returns the memory of a list, for another one.
func emptied[T any](list []T) []T {
	if cap(list) > mostKept {
		return nil
	}
	clear(list) // what it refers to is not kept
	return list[:0]
}

// join returns the members of several lists as one, of each key the last.
func (m *Reader) join(lists ...[]notice.Member) []notice.Member {
	start := len(m.members)
	for _, list := range lists {
		m.members = append(m.members, list...)
	}
	return unique(m.members[start:len(m.members):len(m.members)])
}

// unique keeps the last member of each key, in place: a client that sends two means the later one.
func unique(members []notice.Member) []notice.Member {
	const few = 40 // members, which are compared faster than put into a map
	if len(members) > few {
		return uniqueOfMany(members)
	}
	all := members[:0]
	for _, m := range members {
		if i := slices.IndexFunc(all, func(other notice.Member) bool { return other.Key == m.Key }); i >= 0 {
			all[i] = m
			continue
		}
		all = append(all, m)
	}
	return all
}

func uniqueOfMany(members []notice.Member) []notice.Member {
	at := make(map[string]int, len(members))
	all := members[:0]
	for _, m := range members {
		if i, ok := at[m.Key]; ok {
			all[i] = m
			continue
		}
		at[m.Key] = len(all)
		all = append(all, m)
	}
	return all
}
