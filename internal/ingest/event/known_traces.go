package event

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"
)

// knownTraces are what backtraces say, of which most come again and again. Each has one place, so that they are bounded.
var knownTraces [2048]atomic.Pointer[knownTrace]

type knownTrace struct {
	hash  uint64 // of the JSON
	bytes int
	trace trace // with texts of its own, and as if it began at 0
}

// mostKnownText is how many bytes of text are kept of one backtrace; those that say more are read each time.
const mostKnownText = 4 << 10

// traceSeed is for hashes, so that clients cannot make two that are the same.
var traceSeed = maphash.MakeSeed()

// knownTraceOf is traceOf, but for what is known already. What is read in another way than usual is not kept.
func knownTraceOf(value string, at int, how reading) trace {
	if how.minified || how.explained || how.rules.Sees() {
		return traceOf(value, at, how)
	}
	hash := maphash.String(traceSeed, value)
	place := &knownTraces[hash%uint64(len(knownTraces))]
	if known := place.Load(); known != nil && known.hash == hash && known.bytes == len(value) {
		return known.trace.at(at)
	}
	t := traceOf(value, 0, reading{})
	if t.size() <= mostKnownText {
		place.Store(&knownTrace{hash, len(value), t.clone()})
	}
	return t.at(at)
}

// at returns the trace as it is where its JSON begins at an offset of the document.
func (t trace) at(offset int) trace {
	if t.end > 0 {
		t.start, t.end = t.start+offset, t.end+offset
	}
	return t
}

// size returns how many bytes its texts have.
func (t *trace) size() int { return t.top.size() + t.said.size() + t.guessed.size() + t.first.size() }

func (p *pick) size() int {
	n := p.frame.size() + p.caller.size()
	for _, file := range p.files {
		n += len(file)
	}
	return n
}

func (f frame) size() int {
	return len(f.file) + len(f.class) + len(f.method) + len(f.number) + len(f.column) + len(f.context) + len(f.source)
}

// clone returns the trace with texts of its own.
func (t trace) clone() trace {
	t.top, t.said, t.guessed, t.first = t.top.clone(), t.said.clone(), t.guessed.clone(), t.first.clone()
	return t
}

func (p pick) clone() pick {
	p.frame, p.caller, p.files = p.frame.clone(), p.caller.clone(), slices.Clone(p.files)
	for i, file := range p.files {
		p.files[i] = strings.Clone(file)
	}
	return p
}

func (f frame) clone() frame {
	return frame{strings.Clone(f.file), strings.Clone(f.class), strings.Clone(f.method), strings.Clone(f.number), strings.Clone(f.column), strings.Clone(f.context), strings.Clone(f.source), f.rule}
}
