package intake

import (
	"context"
	"database/sql"
	"hash/maphash"
	"sync"

	"sett/internal/store/db"
)

// TokenFilter tells of nearly every new token that it was never stored, without a look at table notice_tokens: tokens are
// random, so that each look reads a page of its own. It is a Bloom filter that grows by parts: it holds every token that
// is stored or was, and takes one new token in a hundred for one that may be. It is for SQLite, where one process records.
type TokenFilter struct {
	mu    sync.Mutex
	seed  maphash.Seed
	Parts []FilterPart // only the last takes more
	Whole bool         // it holds what was stored before this process too
	Full  bool         // no part was added any more: anything may be stored

	stop   context.CancelFunc
	Filled sync.WaitGroup
}

type FilterPart struct {
	Bits []uint64
	room int // for so many tokens more
}

// The size of the filter: ten bits a token and seven bits set for each make a hundredth of wrong hits.
const (
	BitsPerToken = 10
	bitsSet      = 7
	FirstBits    = 1 << 22
	MostBits     = 1 << 27 // of the last part; all of them together have twice as many, 32 MiB
)

// Add notes tokens that were stored.
func (f *TokenFilter) Add(tokens ...TokenKey) {
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

// makeRoom adds a part, twice as large as the last, when that is full. It reports whether there is room.
func (f *TokenFilter) makeRoom() bool {
	size := FirstBits
	if n := len(f.Parts); n == 0 {
		f.seed = maphash.MakeSeed()
	} else if last := f.Parts[n-1]; last.room > 0 {
		return true
	} else if size = len(last.Bits) * 64 * 2; size > MostBits {
		f.Full, f.Parts = true, nil
		return false
	}
	f.Parts = append(f.Parts, FilterPart{make([]uint64, size/64), size / BitsPerToken})
	return true
}

// Unknown returns those of the tokens that were certainly never stored.
func (f *TokenFilter) Unknown(tokens []TokenKey) map[TokenKey]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.Whole || f.Full {
		return nil
	}
	found := make(map[TokenKey]bool, len(tokens))
	for _, k := range tokens {
		found[k] = !f.holds(k)
	}
	return found
}

func (f *TokenFilter) holds(k TokenKey) bool {
	for i := range f.Parts {
		if f.Parts[i].holds(f.seed, k) {
			return true
		}
	}
	return false
}

func (p *FilterPart) holds(seed maphash.Seed, k TokenKey) bool {
	for _, at := range p.places(seed, k) {
		if p.Bits[at/64]>>(at%64)&1 == 0 {
			return false
		}
	}
	return true
}

// places returns the bits that a token sets.
func (p *FilterPart) places(seed maphash.Seed, k TokenKey) (at [bitsSet]uint64) {
	h := maphash.Comparable(seed, k)
	step, mask := h>>32|1, uint64(len(p.Bits)*64-1)
	for i := range at {
		at[i] = h & mask
		h += step
	}
	return at
}

const tokensAfter = `-- store.tokensAfter
SELECT token, project_id FROM notice_tokens WHERE (token, project_id) > ($1, $2) ORDER BY token, project_id LIMIT 10000`

// fillTokenFilter adds what earlier processes have stored, in the background. A failure leaves the filter as it is: then
// every token is looked up.
func (s *Store) fillTokenFilter() {
	ctx, stop := context.WithCancel(context.Background())
	s.TokenFilter.stop = stop
	s.TokenFilter.Filled.Go(func() {
		for last := (TokenKey{}); ; {
			tokens, err := s.tokensAfter(ctx, last)
			if err != nil {
				return
			}
			if len(tokens) == 0 {
				break
			}
			s.TokenFilter.Add(tokens...)
			last = tokens[len(tokens)-1]
		}
		s.TokenFilter.mu.Lock()
		defer s.TokenFilter.mu.Unlock()
		s.TokenFilter.Whole = true
	})
}

func (s *Store) tokensAfter(ctx context.Context, last TokenKey) (tokens []TokenKey, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(tokensAfter), last.Token[:], last.Project)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var k TokenKey
		var token []byte
		err := rows.Scan(&token, &k.Project)
		copy(k.Token[:], token)
		tokens = append(tokens, k)
		return err
	})
	return tokens, err
}

// Close ends the filling.
func (f *TokenFilter) close() {
	if f.stop != nil {
		f.stop()
		f.Filled.Wait()
	}
}
