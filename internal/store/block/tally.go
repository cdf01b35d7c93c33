package block

import (
	"context"
	"database/sql"
	"encoding/binary"

	"sett/internal/event/column"
	"sett/internal/store/db"
)

// A search for a facet that many notices have would open every block, only to count. So a block stores those counts: a row of block_tallies
// has the tallies of the frequent facets that one filter knows of, and the last row the tally of all notices. A row is the version byte and, for
// each facet, eight bytes that identify it (Term.Facet; 0: all notices), the number of faults, and for each fault its id, as the difference to
// the one before, and its count: varints. Blocks of earlier versions have none, and are opened; so are blocks with deleted notices, which they count.
const (
	tallies  = column.Filters + 1
	ofAll    = column.Filters // the number of the last row
	allFacet = 0
)

// packTallies returns the rows of table block_tallies for a block, by number; nil where there is nothing to say.
func packTallies(runs []run, frequent []column.Frequent) (rows [tallies][]byte) {
	add := func(number int, facet uint64, count func(r run) int) {
		b := rows[number]
		if b == nil {
			b = []byte{blockVersion}
		}
		b = binary.LittleEndian.AppendUint64(b, facet)
		var counts []byte
		n, fault := 0, int64(0)
		for _, r := range runs {
			if c := count(r); c > 0 {
				counts = binary.AppendUvarint(binary.AppendVarint(counts, r.fault-fault), uint64(c))
				n, fault = n+1, r.fault
			}
		}
		rows[number] = append(binary.AppendUvarint(b, uint64(n)), counts...)
	}
	for _, f := range frequent {
		add(f.Filter, f.Facet, func(r run) int { return f.Rows.CountIn(r.from, r.to) })
	}
	add(ofAll, allFacet, func(r run) int { return r.to - r.from })
	return rows
}

// faultCount is how many notices of a block a fault has.
type faultCount struct {
	fault int64
	n     int
}

// readTally appends the tally of a facet in a row to counts; ok is false if the row has none, or is damaged.
func readTally(counts []faultCount, b []byte, facet uint64) (all []faultCount, ok bool) {
	if len(b) == 0 || b[0] != blockVersion {
		return counts, false
	}
	for b = b[1:]; len(b) > 8; {
		found := binary.LittleEndian.Uint64(b) == facet
		n, length := binary.Uvarint(b[8:])
		b = b[8+max(length, 0):]
		if length <= 0 || n > column.MostRows {
			return counts, false
		}
		fault := int64(0)
		for range n {
			delta, d := binary.Varint(b)
			count, c := binary.Uvarint(b[max(d, 0):])
			if d <= 0 || c <= 0 || count > column.MostRows {
				return counts, false
			}
			fault, b = fault+delta, b[d+c:]
			if found {
				counts = append(counts, faultCount{fault, int(count)})
			}
		}
		if found {
			return counts, true
		}
	}
	return counts, false
}

const insertTallies = `-- block.insertTallies
INSERT INTO block_tallies (project_id, number, block_id, body)
SELECT k.project_id, k.number, k.block_id, k.body FROM {{rows k(project_id bigint, number bigint, block_id bigint, body bytea)}} WHERE true`

const talliesOfProject = `-- block.talliesOfProject
SELECT block_id, body FROM block_tallies WHERE project_id = $1 AND number = $2 AND block_id BETWEEN $3 AND $4`

const blocksToRewrite = `-- block.blocksToRewrite
SELECT id FROM blocks WHERE rewrites AND project_id = $1 AND id BETWEEN $2 AND $3`

// tallied counts in those of some blocks whose tallies answer the search: all notices with, or without, one facet. It marks them as searched.
func (f *finder) tallied(ctx context.Context, some []*candidate, byID map[int64]*candidate) error {
	if len(f.Terms) != 1 || f.Keep > 0 || f.Times {
		return nil
	}
	facet, negated, ok := f.Terms[0].Facet()
	if !ok {
		return nil
	}
	c := &tallyCounter{finder: f, facet: facet, first: some[len(some)-1].id, last: some[0].id}
	if err := c.choose(ctx, byID); err != nil {
		return err
	}
	if negated {
		return c.without(ctx)
	}
	return c.with(ctx)
}

// tallyCounter counts notices by the tallies of blocks.
type tallyCounter struct {
	*finder
	facet       uint64
	first, last int64                // blocks
	usable      map[int64]*candidate // of which all notices are wanted, and none is deleted
	counts      []faultCount         // memory
}

func (c *tallyCounter) choose(ctx context.Context, byID map[int64]*candidate) error {
	c.usable = make(map[int64]*candidate, len(byID))
	for id, b := range byID {
		if c.wants(b) && !b.leavesOut(&c.Terms[0]) {
			c.usable[id] = b
		}
	}
	rewrites, err := c.s.db.ListIDs(ctx, c.q, blocksToRewrite, c.project, c.first, c.last)
	for _, id := range rewrites {
		delete(c.usable, id)
	}
	return db.Wrap("find blocks with deleted notices", err)
}

// each calls f with a row of tallies of each usable block that has it.
func (c *tallyCounter) each(ctx context.Context, number int, f func(b *candidate, row []byte) error) error {
	rows, err := c.q.QueryContext(ctx, c.s.db.Text(talliesOfProject), c.project, number, c.first, c.last)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id int64
		var row sql.RawBytes
		if err := rows.Scan(&id, &row); err != nil {
			return err
		}
		if b := c.usable[id]; b != nil {
			return f(b, row)
		}
		return nil
	})
	return db.Wrap("read counts of blocks", err)
}

// with counts the notices that have the facet.
func (c *tallyCounter) with(ctx context.Context) error {
	return c.each(ctx, c.Terms[0].Filter, func(b *candidate, row []byte) (err error) {
		var ok bool
		if c.counts, ok = readTally(c.counts[:0], row, c.facet); ok {
			err = c.addAll(b, c.counts)
		}
		return err
	})
}

// without counts those that do not.
func (c *tallyCounter) without(ctx context.Context) error {
	with := map[*candidate][]faultCount{}
	err := c.each(ctx, c.Terms[0].Filter, func(b *candidate, row []byte) error {
		if counts, ok := readTally(nil, row, c.facet); ok {
			with[b] = counts
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.each(ctx, ofAll, func(b *candidate, row []byte) (err error) {
		has, known := with[b]
		var ok bool
		if c.counts, ok = readTally(c.counts[:0], row, allFacet); known && ok {
			err = c.addAll(b, less(c.counts, has))
		}
		return err
	})
}

// less takes counts from those of the same faults. Both are in the order of faults.
func less(counts, taken []faultCount) []faultCount {
	for i := range counts {
		if len(taken) > 0 && taken[0].fault == counts[i].fault {
			counts[i].n -= taken[0].n
			taken = taken[1:]
		}
	}
	return counts
}

func (c *tallyCounter) addAll(b *candidate, counts []faultCount) error {
	b.searched = true
	for _, k := range counts {
		if k.n <= 0 {
			continue
		}
		if err := c.add(hit{fault: k.fault, n: k.n}); err != nil {
			return err
		}
	}
	return nil
}
