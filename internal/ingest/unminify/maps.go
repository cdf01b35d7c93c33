package unminify

import (
	"container/list"
	"context"
	"sync"
	"time"

	"sett/internal/event/sourcemap"
	"sett/internal/event/sourcemap/function"
	"sett/internal/sett"
	"sett/internal/store/sourcemapdb"
)

// The bounds on what is kept and done at a time.
const (
	mostKept    = 96 << 20        // bytes of decoded maps; any usual map takes less
	mostLoading = 8               // maps that are read, or wait for it
	loadTime    = time.Minute     // until a map is read and decoded, from when it has its turn
	mostAnswers = 10_000          // of findings
	answerTime  = 5 * time.Second // for which a finding is believed: others may upload and delete
	mostUses    = 10_000          // of maps between two calls of SaveUse
)

// Maps are the source maps of all projects. They are safe for concurrent use.
type Maps struct {
	store *sourcemapdb.Store
	now   func() time.Time
	most  int // bytes of decoded maps

	loads    sync.WaitGroup
	ctx      context.Context //nolint:containedctx // of loads; ends with Close
	cancel   context.CancelFunc
	decoding chan struct{} // one: a map that is decoded takes several times its size

	mu      sync.Mutex
	closed  bool
	loaded  map[fileKey]*decoded
	recent  list.List // of *decoded, the last used first
	kept    int       // bytes of them
	loading int
	answers map[question]answer
	uses    map[int64]use // by id of the map
}

// fileKey is a map and the table of the functions of its minified file, which may be none.
type fileKey struct{ project, file, functions int64 }

// decoded is a map, or one that is about to be loaded.
type decoded struct {
	key     fileKey
	done    chan struct{} // closed when the others are known
	m       *sourcemap.Map
	within  *function.Table // nil: not known
	reason  Reason          // why there is no m
	err     error           // of the store
	bytes   int
	started time.Time
	place   *list.Element
}

// New returns the maps of a store.
func New(store *sourcemapdb.Store, now func() time.Time) *Maps {
	ctx, cancel := context.WithCancel(context.Background())
	return &Maps{
		store: store, now: now, most: mostKept, ctx: ctx, cancel: cancel, decoding: make(chan struct{}, 1),
		loaded: map[fileKey]*decoded{}, answers: map[question]answer{}, uses: map[int64]use{},
	}
}

// Close ends what is being loaded. Nothing is loaded afterwards.
func (s *Maps) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.loads.Wait()
}

// load returns a map, or why there is none. It waits until a time, and no longer than hurry from when the map began to load; the map is
// loaded all the same.
func (s *Maps) load(ctx context.Context, key fileKey, hurry time.Duration, until time.Time) (*decoded, Reason, error) {
	d, ok := s.begin(key)
	if !ok {
		return nil, Busy, nil
	}
	if end := d.started.Add(hurry); end.Before(until) {
		until = end
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	select {
	case <-d.done:
		return d, d.reason, d.err
	default:
	}
	select {
	case <-d.done:
		return d, d.reason, d.err
	case <-ctx.Done():
		return nil, Busy, nil
	}
}

// begin returns a map that is loaded or loading. It starts to load one, unless too many are.
func (s *Maps) begin(key fileKey) (*decoded, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.loaded[key]; d != nil {
		if d.place != nil {
			s.recent.MoveToFront(d.place)
		}
		return d, true
	}
	if s.closed || s.loading == mostLoading {
		return nil, false
	}
	d := &decoded{key: key, done: make(chan struct{}), started: time.Now()}
	s.loaded[key] = d
	s.loading++
	s.loads.Go(func() { s.read(d) })
	return d, true
}

// read loads a map.
func (s *Maps) read(d *decoded) {
	select {
	case s.decoding <- struct{}{}:
		s.decode(d)
		<-s.decoding
	case <-s.ctx.Done():
		d.reason, d.err = Busy, s.ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loading--
	s.keep(d)
	close(d.done)
}

// decode reads the text of a map and decodes it.
func (s *Maps) decode(d *decoded) {
	ctx, cancel := context.WithTimeout(s.ctx, loadTime)
	defer cancel()
	text, table, err := s.texts(ctx, d.key)
	if sett.CodeOf(err) == sett.NotFound { // it was deleted a moment ago
		d.reason = Busy
		return
	}
	if err != nil {
		d.reason, d.err = Busy, err
		return
	}
	m, err := sourcemap.Parse(text, sourcemap.Largest)
	switch {
	case err != nil:
		d.reason = Damaged
	case m.Bytes() > s.most:
		d.reason = TooLarge
	default:
		d.m, d.bytes = m, m.Bytes()
		d.addFunctions(table)
	}
}

// texts returns the text of a map, and the table of functions, if it has one.
func (s *Maps) texts(ctx context.Context, key fileKey) (text, table []byte, err error) {
	if text, err = s.store.File(ctx, key.project, key.file); err == nil && key.functions != 0 {
		table, err = s.store.File(ctx, key.project, key.functions)
	}
	return text, table, err
}

// addFunctions adds a table of functions. A map is of use without it.
func (d *decoded) addFunctions(table []byte) {
	if t, err := function.Decode(table); err == nil {
		d.within, d.bytes = t, d.bytes+t.Bytes()
	}
}

// entryBytes is what a map counts beside its own memory.
const entryBytes = 500

// keep keeps a map for later frames, and drops those that were not used for longest beyond the bound. What could not be read is tried again.
func (s *Maps) keep(d *decoded) {
	if d.reason == Busy {
		delete(s.loaded, d.key)
		return
	}
	d.bytes += entryBytes
	d.place = s.recent.PushFront(d)
	s.kept += d.bytes
	for s.kept > s.most+entryBytes {
		last, _ := s.recent.Remove(s.recent.Back()).(*decoded)
		s.kept -= last.bytes
		delete(s.loaded, last.key)
	}
}
