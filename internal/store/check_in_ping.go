package store

import (
	"context"
	"database/sql"
	"slices"

	"sett/internal/sett"
)

// PingReport is a ping and the check-in that it is for: its id, or the API key of its project and its slug.
type PingReport struct {
	ID        string
	Key, Slug string // not used with ID
	sett.Ping
}

// RecordPings stores pings in one transaction, those of one check-in in their order here, and says of each whether its
// check-in was found. They are durable once it has returned.
func (s *Store) RecordPings(ctx context.Context, pings []PingReport) (found []bool, err error) {
	err = s.inTx(ctx, "record pings", func(t *tx) error {
		t.keepsFaults = true
		numbers, err := t.pingedNumbers(ctx, pings)
		if err != nil {
			return err
		}
		pinged, err := t.pinged(ctx, numbers)
		if err != nil {
			return err
		}
		found = make([]bool, len(pings))
		var w checkInWrites
		for i, p := range pings {
			c := pinged[numbers[i]]
			if c == nil {
				continue
			}
			var events []sett.CheckInEvent
			c.CheckIn, events = c.Ping(p.Ping)
			w.tell(c.number, events)
			found[i] = true
		}
		for _, c := range pinged {
			w.add(*c, nil)
		}
		return w.write(ctx, t)
	})
	return found, err
}

const checkInsByID = `-- store.checkInsByID
SELECT k.i, c.number FROM {{rows k(i bigint, id text)}} JOIN check_ins c ON c.id = k.id`

const checkInsBySlug = `-- store.checkInsBySlug
SELECT k.i, c.number FROM {{rows k(i bigint, key text, slug text)}} JOIN project_keys p ON p.key = k.key
JOIN check_ins c ON c.project_id = p.project_id AND c.slug = k.slug AND c.slug <> ''`

// pingedNumbers returns the number of each ping's check-in; 0 for one that there is not.
func (t *tx) pingedNumbers(ctx context.Context, pings []PingReport) ([]int64, error) {
	numbers := make([]int64, len(pings))
	var byID, bySlug []int64
	var ids, keys, slugs []string
	for i, p := range pings {
		if p.ID != "" {
			byID, ids = append(byID, int64(i)), append(ids, p.ID)
		} else {
			bySlug, keys, slugs = append(bySlug, int64(i)), append(keys, p.Key), append(slugs, p.Slug)
		}
	}
	scan := func(rows *sql.Rows) error {
		var i, number int64
		err := rows.Scan(&i, &number)
		numbers[i] = number
		return err
	}
	if err := t.eachRow(ctx, checkInsByID, scan, byID, ids); err != nil {
		return nil, err
	}
	return numbers, t.eachRow(ctx, checkInsBySlug, scan, bySlug, keys, slugs)
}

const pingedCheckIns = `-- store.pinged
SELECT ` + checkInColumns + ` FROM {{rows k(number bigint)}} JOIN check_ins c ON c.number = k.number ORDER BY c.number {{for update}}`

// pinged returns the check-ins with these numbers, each held until the end of the transaction. All nodes take them in
// the same order, so that none waits for another in a circle.
func (t *tx) pinged(ctx context.Context, numbers []int64) (map[int64]*storedCheckIn, error) {
	numbers = slices.Compact(slices.Sorted(slices.Values(numbers)))
	if len(numbers) > 0 && numbers[0] == 0 {
		numbers = numbers[1:]
	}
	found := map[int64]*storedCheckIn{}
	err := t.eachRow(ctx, pingedCheckIns, func(rows *sql.Rows) error {
		c, err := scanCheckIn(rows)
		found[c.number] = &c
		return err
	}, numbers)
	return found, err
}
