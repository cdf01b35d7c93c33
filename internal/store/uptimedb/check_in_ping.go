package uptimedb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

// PingReport is a ping and its check-in: the check-in's id, or the API key of its project and its slug.
type PingReport struct {
	ID        string
	Key, Slug string // not used if there is an ID
	checks.Ping
}

// RecordPings stores pings in one transaction, those of one check-in in the given order, and reports for each whether its check-in
// exists. They are durable when it returns.
func (s *Store) RecordPings(ctx context.Context, pings []PingReport) (found []bool, err error) {
	turns := false
	err = s.db.InRoundTrip(ctx, "record pings", func() db.RoundTrip {
		p := newPinged(len(pings))
		return db.RoundTrip{Read: askPinged(pings), Scan: p.Scan, Write: func() []db.RowsStatement {
			var w checkInWrites
			found = w.Ping(p.CheckIns, pings)
			if turns = p.turns(); turns {
				return nil
			}
			return w.Statements()
		}}
	})
	if err != nil || !turns {
		return found, err
	}
	return s.recordShownPings(ctx, pings)
}

// recordShownPings is RecordPings for pings that change the content of status pages: their effects take more statements than an exchange
// has, and are rare.
func (s *Store) recordShownPings(ctx context.Context, pings []PingReport) (found []bool, err error) {
	err = s.inIntakeTx(ctx, "record pings", func(t Tx) error {
		t.KeepsCaches = true
		p, ask := newPinged(len(pings)), askPinged(pings)
		if err := t.EachRow(ctx, ask.Text, func(r *sql.Rows) error { return p.Scan(r) }, ask.Columns...); err != nil {
			return err
		}
		w := checkInWrites{Now: newest(pings)}
		found = w.Ping(p.CheckIns, pings)
		return w.write(ctx, t)
	})
	return found, err
}

func newest(pings []PingReport) (at time.Time) {
	for _, p := range pings {
		at = later(at, p.At)
	}
	return at
}

// Ping adds the effects of pings on their check-ins, and reports for each ping whether its check-in exists.
func (w *checkInWrites) Ping(pinged []*storedCheckIn, pings []PingReport) (found []bool) {
	found = make([]bool, len(pings))
	last := map[*storedCheckIn]int{}
	for i, c := range pinged {
		if c == nil {
			continue
		}
		var events []checks.CheckInEvent
		before := c.State
		c.CheckIn, events = c.Ping(pings[i].Ping)
		w.addEvents(before, *c, events)
		found[i], last[c] = true, i
	}
	for i, c := range pinged {
		if c != nil && last[c] == i {
			w.add(c.State, *c, nil)
		}
	}
	return found
}

// pingedCheckIns finds the check-in of each ping by subqueries, which run row by row: with outdated statistics, PostgreSQL would join by
// comparing each slug with all slugs of its project. All nodes lock check-ins in the same order, so that they never deadlock.
var pingedCheckIns = `-- uptimedb.pinged
SELECT k.i, EXISTS (SELECT 1 FROM status_components sc WHERE sc.check_in = c.number), ` + checkInColumns + ` FROM {{rows k(i bigint, id text, key text, slug text)}} JOIN check_ins c ON c.number = CASE WHEN k.id <> ''
    THEN (SELECT s.number FROM check_ins s WHERE s.id = k.id)
    ELSE (SELECT s.number FROM check_ins s WHERE s.project_id = (SELECT p.project_id FROM project_keys p WHERE p.key = k.key AND p.scope = 'all') AND s.slug = k.slug AND s.slug <> '') END
ORDER BY c.number {{for no key update}}`

func askPinged(pings []PingReport) db.RowsStatement {
	var at []int64
	var ids, keys, slugs []string
	for i, p := range pings {
		at, ids, keys, slugs = append(at, int64(i)), append(ids, p.ID), append(keys, p.Key), append(slugs, p.Slug)
	}
	return db.RowsStatement{Text: pingedCheckIns, Columns: []any{at, ids, keys, slugs}}
}

// pinged holds the check-ins of pings: one shared value for all pings of a check-in, nil for one that does not exist.
type pinged struct {
	CheckIns []*storedCheckIn
	byNumber map[int64]*storedCheckIn
	shown    map[int64]bool // by status pages

	scan func(db.Row) (storedCheckIn, error) // and the columns before those of a check-in into row
	row  struct {
		i     int64
		shown bool
	}
}

func newPinged(pings int) *pinged {
	p := &pinged{CheckIns: make([]*storedCheckIn, pings), byNumber: map[int64]*storedCheckIn{}, shown: map[int64]bool{}}
	p.scan = checkInScanner(&p.row.i, &p.row.shown)
	return p
}

// turns reports whether the state of a check-in on a status page has changed.
func (p *pinged) turns() bool {
	for number := range p.shown {
		if c := p.byNumber[number]; c.State != c.was {
			return true
		}
	}
	return false
}

func (p *pinged) Scan(r db.Row) error {
	c, err := p.scan(r)
	if err != nil {
		return err
	}
	if p.row.shown {
		p.shown[c.number] = true
	}
	if p.byNumber[c.number] == nil {
		p.byNumber[c.number] = &c
	}
	p.CheckIns[p.row.i] = p.byNumber[c.number]
	return nil
}
