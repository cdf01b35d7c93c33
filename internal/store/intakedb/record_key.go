package intakedb

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// newKey is a key that no error is known by yet.
type newKey struct {
	faultKey
	grouping *faults.Grouping
	former   [16]byte // by rule 1, or by the rules that the project had before regrouped
	since    int64    // µs: when the project changed its rules; 0 if they do not matter
	with     faultKey // whose fault it belongs to: itself, or another new key of the batch
	part     int64    // of a known fault that it continues; 0: with's
	why      faults.Why
	full     bool // there is no room for it
}

// candidate is a known error that an event may continue.
type candidate struct {
	knownFault
	faults.KnownGrouping
	with faultKey // of this batch; its fault is not known then
}

// isSame reports whether two candidates are one error.
func (c *candidate) isSame(other *candidate) bool {
	if c.id == 0 || other.id == 0 {
		return c.id == other.id && c.with == other.with
	}
	return c.part == other.part
}

// mostNear is how many keys at one place are compared with an event, and how many an error has there.
const mostNear = 50

// mostKeys is how many keys an error has because rule 1 knows them. More of them still find it, but are not stored.
const mostKeys = 200

// lately is for how long an error counts as one that still occurs where its client does not say in which revision.
const lately = 24 * time.Hour

const faultsByFormer = `-- intakedb.faultsByFormer
SELECT k.i, y.part_id, f.id, f.resolved, f.resolved_in, f.ignored, f.tags, y.revision, y.revised_at,
    (SELECT count(*) FROM (SELECT 1 AS one FROM fault_keys o WHERE o.part_id = y.part_id LIMIT 200) counted)
FROM {{rows k(i bigint, project_id bigint, key bytea)}} JOIN fault_keys y ON y.project_id = k.project_id AND y.key = k.key
    JOIN faults f ON f.id = y.fault_id`

const keysNear = `-- intakedb.keysNear
SELECT n.i, n.part_id, f.id, f.resolved, f.resolved_in, f.ignored, f.tags, n.revision, n.revised_at, n.inputs, c.last_notice_at FROM (
    SELECT k.i, y.part_id, y.fault_id, y.revision, y.revised_at, y.inputs, row_number() OVER (PARTITION BY k.i ORDER BY y.created_at DESC) AS nth
    FROM {{rows k(i bigint, project_id bigint, near bytea)}} JOIN fault_keys y ON y.project_id = k.project_id AND y.near = k.near
) n JOIN faults f ON f.id = n.fault_id JOIN fault_counts c ON c.fault_id = f.id
WHERE n.nth <= 50`

// continueFaults finds out, for the reports whose keys are unknown, which of them continue an error: one that rule 1 knows them by, or one at the same place.
func (b *batch) continueFaults(ctx context.Context) error {
	b.touchKeys()
	unknown := b.unknownKeys()
	if len(unknown) == 0 {
		return nil
	}
	former, near, taken, err := b.askNear(ctx, unknown)
	if err != nil {
		return fmt.Errorf("find faults that go on: %w", err)
	}
	if locked, err := b.lockPlaces(ctx, near); err != nil {
		return fmt.Errorf("lock places: %w", err)
	} else if locked {
		if former, near, taken, err = b.askNear(ctx, unknown); err != nil {
			return fmt.Errorf("find faults that go on: %w", err)
		}
	}
	for i := range unknown {
		n := &unknown[i]
		place := faultKey{n.project, n.grouping.Near}
		f, ok := former[i]
		if ok && n.since == 0 {
			b.goOn(n, candidate{knownFault: f.knownFault}, faults.RuleChanged)
			n.full = f.keys >= mostKeys
		} else if c := ofFullLine(near[place], n.grouping); c != nil {
			b.goOn(n, *c, faults.MessageVaries)
			n.full = true
		} else if j, why := faults.Continues(groupingsOf(near[place], n.grouping), *n.grouping); why != "" {
			b.goOn(n, near[place][j], why)
		} else if ok && taken[f.part] < n.since {
			taken[f.part] = n.since
			b.goOn(n, candidate{knownFault: f.knownFault}, faults.OwnRules)
		}
		if b.newKeys = append(b.newKeys, *n); !n.full {
			near[place] = append(near[place], candidate{b.found[n.faultKey], faults.KnownGrouping{Grouping: *n.grouping, Late: true}, n.with})
		}
		if len(near[place]) == mostNear+1 {
			b.fullPlaces = append(b.fullPlaces, place)
		}
	}
	return nil
}

const lockPlaces = `-- intakedb.lockPlaces
SELECT count(pg_advisory_xact_lock(k.place)) FROM {{rows k(place bigint)}}`

// lockPlaces waits, on PostgreSQL, until no other node makes errors at the places where none is known, and reports whether there are any. What the other has made
// must be asked for then: two nodes that get the first events of an error at one moment would make two errors if the events differ.
func (b *batch) lockPlaces(ctx context.Context, near map[faultKey][]candidate) (bool, error) {
	if b.S.db.SQLite() {
		return false, nil
	}
	locks := map[int64]bool{}
	for place, known := range near {
		if len(known) == 0 {
			locks[int64(binary.BigEndian.Uint16(place.key[:]))] = true // so that a batch has few locks
		}
	}
	if len(locks) == 0 {
		return false, nil
	}
	b.t.Ask(lockPlaces, func(rows db.Row) error {
		var n int64
		return rows.Scan(&n)
	}, db.Sorted(locks, cmp.Compare))
	return true, b.t.Answers(ctx)
}

// ofFullLine returns the error of a place with as many keys as are compared, if all of those in the line of an event are its own: its messages vary so much that one
// more says nothing. It is nil for any other place.
func ofFullLine(known []candidate, g *faults.Grouping) (one *candidate) {
	if len(known) < mostNear {
		return nil
	}
	for i := range known {
		c := &known[i]
		switch {
		case c.Line != g.Line || c.Method != g.Method:
		case one != nil && !one.isSame(c):
			return nil
		default:
			one = c
		}
	}
	return one
}

// unknownKeys returns the keys of reports that no error is known by.
func (b *batch) unknownKeys() (unknown []newKey) {
	once := map[faultKey]bool{}
	for _, i := range b.Live {
		r := b.in.Reports[i]
		k := faultKey{r.ProjectID, r.Grouping.Key}
		if b.found[k].id == 0 && !once[k] {
			once[k] = true
			if r.Grouping.Near == [16]byte{} { // spooled by a version before rule 2
				r.Grouping.Near = r.Grouping.Key
			}
			n := newKey{faultKey: k, grouping: &r.Grouping, former: r.Former.Key, with: k}
			if !r.Regrouped.IsZero() {
				n.since = db.Micros(r.Regrouped)
			}
			unknown = append(unknown, n)
		}
	}
	return unknown
}

// goOn lets a new key belong to the error of a candidate.
func (b *batch) goOn(n *newKey, c candidate, why faults.Why) {
	n.why = why
	if c.id == 0 {
		n.with = c.with
		return
	}
	n.part = c.part
	c.knownFault.revision, c.knownFault.revisedAt = n.grouping.Revision, db.Micros(b.now)
	b.found[n.faultKey] = c.knownFault
}

// groupingsOf returns the groupings of candidates as seen from an event.
func groupingsOf(all []candidate, g *faults.Grouping) []faults.KnownGrouping {
	known := make([]faults.KnownGrouping, len(all))
	for i := range all {
		known[i] = all[i].KnownGrouping
		for j := range all {
			if other := &all[j]; all[i].isSame(other) && (other.knownFault.revision == g.Revision || other.Grouping.Revision == g.Revision) {
				known[i].Here = true
			}
		}
	}
	return known
}

const ownKeys = `-- intakedb.ownKeys
SELECT o.part_id, max(o.created_at) FROM {{rows k(project_id bigint, key bytea)}} JOIN fault_keys y ON y.project_id = k.project_id AND y.key = k.key
    JOIN fault_keys o ON o.part_id = y.part_id AND o.why = '` + string(faults.OwnRules) + `' GROUP BY o.part_id`

// askOwn asks when parts of errors last went on because their project changed its rules, in µs.
func (b *batch) askOwn(unknown []newKey, taken map[int64]int64) {
	var projects []int64
	var formers [][]byte
	for _, n := range unknown {
		if n.since > 0 {
			projects, formers = append(projects, n.project), append(formers, n.former[:])
		}
	}
	if len(projects) == 0 {
		return
	}
	b.t.Ask(ownKeys, func(rows db.Row) error {
		var part, at int64
		err := rows.Scan(&part, &at)
		taken[part] = at
		return err
	}, projects, formers)
}

// formerFault is an error that former rules know.
type formerFault struct {
	knownFault
	keys int64 // at most mostKeys are counted
}

// askNear asks for what new keys may continue: the errors that former rules know them by, by the index of the key; those at the same place; and since when parts
// of errors go on under the present rules of their project.
func (b *batch) askNear(ctx context.Context, unknown []newKey) (former map[int]formerFault, near map[faultKey][]candidate, taken map[int64]int64, err error) {
	former, near, taken = map[int]formerFault{}, map[faultKey][]candidate{}, map[int64]int64{}
	b.askOwn(unknown, taken)
	var index, projects, placeIndex, placeProjects []int64
	var formers, nears [][]byte
	var places []faultKey
	for i, n := range unknown {
		index, projects, formers = append(index, int64(i)), append(projects, n.project), append(formers, n.former[:])
		place := faultKey{n.project, n.grouping.Near}
		if _, asked := near[place]; asked {
			continue
		}
		near[place] = nil
		placeIndex, placeProjects = append(placeIndex, int64(len(places))), append(placeProjects, n.project)
		places, nears = append(places, place), append(nears, n.grouping.Near[:])
	}
	b.t.Ask(faultsByFormer, func(rows db.Row) error {
		var keys int64
		i, f, err := scanKnown(rows, &keys)
		former[int(i)] = formerFault{f, keys}
		return err
	}, index, projects, formers)
	b.t.Ask(keysNear, func(rows db.Row) error {
		var i, last int64
		var tags, inputs string
		var c candidate
		err := rows.Scan(&i, &c.part, &c.id, &c.state.Resolved, &c.state.ResolvedIn, &c.state.Ignored, &tags, &c.knownFault.revision, &c.revisedAt, &inputs, &last)
		if err != nil || inputs == "" {
			return err
		}
		c.tags = faults.SplitLines(tags)
		c.Late = b.now.Sub(db.FromMicros(last)) < lately
		if err := json.Unmarshal([]byte(inputs), &c.Grouping); err != nil {
			return fmt.Errorf("read the grouping of part %d: %w", c.part, err)
		}
		c.Grouping.Near = places[i].key
		near[places[i]] = append(near[places[i]], c)
		return nil
	}, placeIndex, placeProjects, nears)
	return former, near, taken, b.t.Answers(ctx)
}

// revisedAfter is how long the revision of a key is left as it is, so that two revisions that run at one time do not write in turns.
const revisedAfter = time.Minute

// touchKeys notes in which revision known keys occur now.
func (b *batch) touchKeys() {
	for _, i := range b.Live {
		r := b.in.Reports[i]
		k := faultKey{r.ProjectID, r.Grouping.Key}
		f := b.found[k]
		if f.id == 0 || r.Grouping.Revision == "" || r.Grouping.Revision == f.revision || b.now.Sub(db.FromMicros(f.revisedAt)) < revisedAfter {
			continue
		}
		f.revision, f.revisedAt = r.Grouping.Revision, db.Micros(b.now)
		b.found[k] = f
		b.touched = append(b.touched, k)
	}
}

const insertKeys = `-- intakedb.insertKeys
INSERT INTO fault_keys (project_id, key, near, part_id, fault_id, inputs, why, revision, revised_at, created_at)
SELECT k.project_id, k.key, k.near, k.part_id, k.fault_id, k.inputs, k.why, k.revision, k.at, k.at
FROM {{rows k(project_id bigint, key bytea, near bytea, part_id bigint, fault_id bigint, inputs text, why text, revision text, at bigint)}} JOIN faults f ON f.id = k.fault_id WHERE true
ON CONFLICT (project_id, key) DO NOTHING`

// Of a place that is full the oldest keys go, but for those that an error was created with or that users have decided about.
const pruneKeys = `-- intakedb.pruneKeys
DELETE FROM fault_keys WHERE why IN ('` + string(faults.LineMoved) + `', '` + string(faults.MessageVaries) + `', '` + string(faults.NamesVary) + `') AND (project_id, key) IN (
    SELECT n.project_id, n.key FROM (
        SELECT y.project_id, y.key, row_number() OVER (PARTITION BY y.project_id, y.near ORDER BY y.created_at DESC) AS nth
        FROM {{rows k(project_id bigint, near bytea)}} JOIN fault_keys y ON y.project_id = k.project_id AND y.near = k.near
    ) n WHERE n.nth > 50)`

const reviseKeys = `-- intakedb.reviseKeys
UPDATE fault_keys SET revision = k.revision, revised_at = k.at FROM {{rows k(project_id bigint, key bytea, revision text, at bigint)}}
WHERE fault_keys.project_id = k.project_id AND fault_keys.key = k.key`

// writeKeys stores the new keys, and in which revisions known ones occur.
func (b *batch) writeKeys(ctx context.Context) error {
	var projects, parts, ids []int64
	var keys, nears [][]byte
	var inputs, whys, revisions []string
	for _, n := range b.newKeys {
		f := b.faults[n.faultKey]
		if f == nil || f.id == 0 || n.full {
			continue
		}
		text, err := json.Marshal(n.grouping)
		if err != nil {
			return fmt.Errorf("write a grouping: %w", err)
		}
		projects, parts = append(projects, n.project), append(parts, cmp.Or(n.part, b.partOfKey(n.with, f)))
		keys, nears, ids = append(keys, n.key[:]), append(nears, n.grouping.Near[:]), append(ids, f.id)
		inputs, whys, revisions = append(inputs, string(text)), append(whys, string(n.why)), append(revisions, n.grouping.Revision)
	}
	if err := b.t.Each(ctx, insertKeys, projects, keys, nears, parts, ids, inputs, whys, revisions, db.Repeated(db.Micros(b.now), len(keys))); err != nil {
		return fmt.Errorf("store keys of faults: %w", err)
	}
	projects, nears = nil, nil
	for _, place := range b.fullPlaces {
		projects, nears = append(projects, place.project), append(nears, place.key[:])
	}
	if err := b.t.Each(ctx, pruneKeys, projects, nears); err != nil {
		return fmt.Errorf("delete old keys of faults: %w", err)
	}
	projects, keys, revisions = nil, nil, nil
	for _, k := range b.touched {
		projects, keys, revisions = append(projects, k.project), append(keys, k.key[:]), append(revisions, b.found[k].revision)
	}
	if err := b.t.Each(ctx, reviseKeys, projects, keys, revisions, db.Repeated(db.Micros(b.now), len(keys))); err != nil {
		return fmt.Errorf("store revisions of keys: %w", err)
	}
	return nil
}
