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
	n := p.frame.size() + p.caller.size() + p.helped.size()
	for _, file := range p.files {
		n += len(file)
	}
	return n
}

func (f frame) size() int {
	return len(f.file) + len(f.name) + len(f.method) + len(f.number) + len(f.column) + len(f.context) + len(f.source)
}

// clone returns the trace with texts of its own.
func (t trace) clone() trace {
	var c cloner
	t.top = c.frame(t.top)
	for _, p := range []*pick{&t.said, &t.guessed, &t.first} {
		p.frame, p.caller, p.helped, p.files = c.frame(p.frame), c.frame(p.caller), c.frame(p.helped), slices.Clone(p.files)
		for i, file := range p.files {
			p.files[i] = c.text(file)
		}
	}
	return t
}

// cloner clones texts, those that it has seen once: what decides about a backtrace is mostly one frame.
type cloner struct {
	seen  [16]string
	count int
}

func (c *cloner) frame(f frame) frame {
	return frame{
		file: c.text(f.file), method: c.text(f.method), number: c.text(f.number), column: c.text(f.column), context: c.text(f.context), name: c.text(f.name), source: c.text(f.source), rule: f.rule,
	}
}

func (c *cloner) text(s string) string {
	for _, known := range c.seen[:c.count] {
		if known == s {
			return known
		}
	}
	s = strings.Clone(s)
	if c.count < len(c.seen) {
		c.seen[c.count] = s
		c.count++
	}
	return s
}
