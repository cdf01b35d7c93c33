package intakedb

import (
	"context"
	"database/sql"
	"hash/maphash"
	"sync"

	"sett/internal/store/db"
	"sett/internal/store/rollupdb"
)

// tokenFilter recognises nearly every new token as never stored, without a read of table notice_tokens: tokens are random, so each lookup
// reads a page of its own. It is a Bloom filter that grows by parts. It holds every token that is or was stored, and has a false positive
// rate of one in a hundred. It is for SQLite, where one process records.
type tokenFilter struct {
	mu    sync.Mutex
	seed  maphash.Seed
	Parts []filterPart // only the last takes more
	Whole bool         // it also holds what was stored before this process started
	Full  bool         // it may grow no further, and is not used

	stop   context.CancelFunc
	Filled sync.WaitGroup
}

type filterPart struct {
	Bits []uint64
	room int // for so many more tokens
}

// The size of the filter: ten bits a token, of which seven are set, give a false positive rate of one in a hundred.
const (
	bitsPerToken = 10
	bitsSet      = 7
	firstBits    = 1 << 22
	mostBits     = 1 << 27 // of the last part; all parts together have twice as many, 32 MiB
)

// Add adds tokens that were stored.
func (f *tokenFilter) Add(tokens ...rollupdb.TokenKey) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, k := range tokens {
		if f.Full || !f.makeRoom() {
			return
		}
		part := &f.Parts[len(f.Parts)-1]
		part.room--
		for _, at := range part.places(f.seed, k) {
			part.Bits[at/64] |= 1 << (at % 64)
		}
	}
}

// makeRoom adds a part, twice as large as the last, if that one is full. It reports whether there is room.
func (f *tokenFilter) makeRoom() bool {
	size := firstBits
	if n := len(f.Parts); n == 0 {
		f.seed = maphash.MakeSeed()
	} else if last := f.Parts[n-1]; last.room > 0 {
		return true
	} else if size = len(last.Bits) * 64 * 2; size > mostBits {
		f.Full, f.Parts = true, nil
		return false
	}
	f.Parts = append(f.Parts, filterPart{make([]uint64, size/64), size / bitsPerToken})
	return true
}

// Unknown returns the tokens that were certainly never stored.
func (f *tokenFilter) Unknown(tokens []rollupdb.TokenKey) map[rollupdb.TokenKey]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.Whole || f.Full {
		return nil
	}
	found := make(map[rollupdb.TokenKey]bool, len(tokens))
	for _, k := range tokens {
		found[k] = !f.holds(k)
	}
	return found
}

func (f *tokenFilter) holds(k rollupdb.TokenKey) bool {
	for i := range f.Parts {
		if f.Parts[i].holds(f.seed, k) {
			return true
		}
	}
	return false
}

func (p *filterPart) holds(seed maphash.Seed, k rollupdb.TokenKey) bool {
	for _, at := range p.places(seed, k) {
		if p.Bits[at/64]>>(at%64)&1 == 0 {
			return false
		}
	}
	return true
}

// places returns the bits that a token sets.
func (p *filterPart) places(seed maphash.Seed, k rollupdb.TokenKey) (at [bitsSet]uint64) {
	h := maphash.Comparable(seed, k)
	step, mask := h>>32|1, uint64(len(p.Bits)*64-1)
	for i := range at {
		at[i] = h & mask
		h += step
	}
	return at
}

const tokensAfter = `-- intakedb.tokensAfter
SELECT token, project_id FROM notice_tokens WHERE (token, project_id) > ($1, $2) ORDER BY token, project_id LIMIT 10000`

// fillTokenFilter adds what earlier processes have stored, in the background. If it fails, the filter stays incomplete and every token is
// looked up.
func (s *Store) fillTokenFilter() {
	ctx, stop := context.WithCancel(context.Background())
	s.tokenFilter.stop = stop
	s.tokenFilter.Filled.Go(func() {
		for last := (rollupdb.TokenKey{}); ; {
			tokens, err := s.tokensAfter(ctx, last)
			if err != nil {
				return
			}
			if len(tokens) == 0 {
				break
			}
			s.tokenFilter.Add(tokens...)
			last = tokens[len(tokens)-1]
		}
		s.tokenFilter.mu.Lock()
		defer s.tokenFilter.mu.Unlock()
		s.tokenFilter.Whole = true
	})
}

func (s *Store) tokensAfter(ctx context.Context, last rollupdb.TokenKey) (tokens []rollupdb.TokenKey, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(tokensAfter), last.Token[:], last.Project)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var k rollupdb.TokenKey
		var token []byte
		err := rows.Scan(&token, &k.Project)
		copy(k.Token[:], token)
		tokens = append(tokens, k)
		return err
	})
	return tokens, err
}

// close stops the filling.
func (f *tokenFilter) close() {
	if f.stop != nil {
		f.stop()
		f.Filled.Wait()
	}
}
