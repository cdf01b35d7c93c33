package block

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// readRemote finds the objects of those of some blocks that are in object storage and of which parts are needed.
func (f *finder) readRemote(ctx context.Context, some []*candidate) error {
	var ids []int64
	for _, c := range some {
		if c.apart() {
			ids = append(ids, c.id)
		}
	}
	objects, err := f.s.objectsOf(ctx, f.q, ids)
	for _, c := range some {
		if c.object = objects[c.id]; c.object != nil {
			f.readKept(c)
		}
	}
	return err
}

// readKept reads the parts that are needed of a block if all of them are at hand: then it is searched like those in the database.
func (f *finder) readKept(c *candidate) {
	if f.s.Objects == nil || c.object.frames == nil {
		return
	}
	parts := map[int][]byte{}
	for _, number := range c.neededParts() {
		p := c.object.parts[number]
		if p.length == 0 {
			continue
		}
		b, ok := f.s.Objects.Kept(c.object.key, p.from, p.length)
		if !ok || !p.holds(b) {
			return
		}
		parts[number] = b
	}
	c.parts, c.remote = parts, false
}

// apart reports whether a block is searched when the snapshot has ended.
func (c *candidate) apart() bool { return c.remote && len(c.terms) > 0 }

// countRemote returns what a search has found in a block that is in object storage. Until its parts are fetched and searched, the error is db.ErrLater:
// only what is found is kept, because the parts of many blocks take much memory.
func (f *finder) countRemote(ctx context.Context, c *candidate) ([]hit, error) {
	if c.object == nil || c.object.frames == nil {
		return nil, errBlock
	}
	key := f.text() + " in " + c.object.key
	if f.fetchesNoMore() {
		return db.Fetched[[]hit](ctx, f.q, key, nil)
	}
	apart := *c
	return db.Fetched(ctx, f.q, key, func(ctx context.Context) ([]hit, error) {
		if f.fetchesNoMore() {
			return nil, errNotFetched
		}
		apart.parts = map[int][]byte{}
		for _, number := range apart.neededParts() {
			p := apart.object.parts[number]
			if p.length == 0 {
				continue
			}
			var err error
			if apart.parts[number], err = f.s.fetch(ctx, apart.object, p); err != nil {
				return nil, err
			}
		}
		k := counters.Get().(*counter)
		defer counters.Put(k)
		return f.count(&apart, k)
	})
}

// errNotFetched says that a block was not searched because there was no time to fetch it.
var errNotFetched = errors.New("there was no time to fetch a block")

// fetchesNoMore reports whether the time is over in which a search fetches: half of what it had left when it began or was repeated. In the rest
// it is repeated with what was fetched.
func (f *finder) fetchesNoMore() bool {
	return !f.Until.IsZero() && time.Now().After(f.began.Add(f.Until.Sub(f.began)/2))
}

// text says what the search looks for in a block, so that what is found for one search is not taken for that of another.
func (f *finder) text() string {
	if f.asText == "" {
		f.asText = fmt.Sprintf("%d %v %v %d %v", f.project, f.Terms, f.Within, f.Keep, f.Times)
	}
	return f.asText
}

// isAway reports whether an error says that object storage cannot be read.
func isAway(err error) bool { return sett.CodeOf(err) == sett.Unavailable }
