package movedb

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/sett/move"
	"sett/internal/store/db"
)

// FaultPage is a page of the errors of a project.
type FaultPage struct {
	From      move.Place
	ProjectID int64
	Faults    []move.Fault     // at most MostFaults
	Assignees map[string]int64 // by email address
	List      string           // that the page is of
	Next      string           // cursor of the page after it
}

// MostFaults is how many errors one transaction stores.
const MostFaults = 100

// known is an error that was imported before.
type known struct {
	sett     int64
	record   string
	state    move.State
	count    int64
	resolved bool
	ignored  bool
	assigned bool
	exists   bool
}

const importedFaults = `-- movedb.importedFaults
SELECT k.i, m.sett_id, m.record, m.state, m.count, coalesce(f.resolved, false), coalesce(f.ignored, false), coalesce(f.assignee_id, 0) <> 0, CASE WHEN f.id IS NULL THEN 0 ELSE 1 END
FROM {{rows k(i bigint, source text, host text, kind text, id text)}}
JOIN imported m ON m.source = k.source AND m.host = k.host AND m.kind = k.kind AND m.source_id = k.id LEFT JOIN faults f ON f.id = m.sett_id`

// Faults stores a page of errors with what the list says of them, and notes the next page. Those that came before get
// what has changed at the source, unless people have changed it in sett. It returns how many are new.
func (s *Store) Faults(ctx context.Context, now time.Time, p FaultPage) (made int64, err error) {
	err = s.inTx(ctx, "import errors", func(t Tx) error {
		before, err := t.knownFaults(ctx, p)
		if err != nil {
			return fmt.Errorf("find imported errors: %w", err)
		}
		var fresh []move.Fault
		for i, f := range p.Faults {
			k, ok := before[i]
			switch {
			case !ok:
				fresh = append(fresh, f)
			case k.exists && k.record != recordOf(f):
				if err := t.changeFault(ctx, p, k, f); err != nil {
					return fmt.Errorf("change an imported error: %w", err)
				}
			}
		}
		made = int64(len(fresh))
		if err := t.addFaults(ctx, now, p, fresh); err != nil {
			return fmt.Errorf("add errors: %w", err)
		}
		return t.noteCursor(ctx, now, p.From, p.List, p.Next)
	})
	return made, err
}

func (t Tx) knownFaults(ctx context.Context, p FaultPage) (map[int]known, error) {
	found := map[int]known{}
	var index []int64
	var sources, hosts, kinds, ids []string
	for i, f := range p.Faults {
		index, sources, hosts = append(index, int64(i)), append(sources, p.From.Source), append(hosts, p.From.Host)
		kinds, ids = append(kinds, kindFault), append(ids, f.ID)
	}
	return found, t.EachRow(ctx, importedFaults, func(rows *sql.Rows) error {
		var k known
		var i int
		err := rows.Scan(&i, &k.sett, &k.record, &k.state, &k.count, &k.resolved, &k.ignored, &k.assigned, &k.exists)
		found[i] = k
		return err
	}, index, sources, hosts, kinds, ids)
}

// recordOf is what a list says of a thing, as text: another text is a change.
func recordOf(thing any) string {
	text, err := json.Marshal(thing)
	if err != nil {
		panic(err) // it is texts, numbers and times
	}
	return string(text)
}

// ownKey is the key of an imported error of which nothing is known but where it is from. No event has it.
func ownKey(from move.Place, id string) []byte {
	sum := sha256.Sum256([]byte("imported\x00" + from.Source + "\x00" + from.Host + "\x00" + id))
	return sum[:16]
}

const insertFaults = `-- movedb.insertFaults
INSERT INTO faults (project_id, key, environment, class, component, action, message, tags, grouping_inputs, created_at,
    resolved, ignored, resolve_on_deploy, resolved_in, assignee_id, paused_until, paused_count, comments_count)
SELECT k.project_id, k.key, k.environment, k.class, k.component, k.action, k.message, k.tags, '{}', k.at, k.resolved <> 0, k.ignored <> 0, k.on_deploy <> 0, '',
    nullif(k.assignee, 0), 0, 0, 0
FROM {{rows k(project_id bigint, key bytea, environment text, class text, component text, action text, message text, tags text, at bigint,
    resolved bigint, ignored bigint, on_deploy bigint, assignee bigint)}} WHERE true
RETURNING id, key`

const insertFaultCounts = `-- movedb.insertFaultCounts
INSERT INTO fault_counts (fault_id, project_id, notices_count, last_notice_at)
SELECT k.id, k.project_id, k.count, k.at FROM {{rows k(id bigint, project_id bigint, count bigint, at bigint)}} WHERE true`

const insertOwnKeys = `-- movedb.insertOwnKeys
INSERT INTO fault_keys (project_id, key, near, part_id, fault_id, inputs, why, revision, revised_at, created_at)
SELECT k.project_id, k.key, k.key, k.id, k.id, '', '', '', 0, k.at FROM {{rows k(project_id bigint, key bytea, id bigint, at bigint)}} WHERE true`

const insertImported = `-- movedb.insertImported
INSERT INTO imported (source, host, kind, source_id, project_id, sett_id, record, state, count, last_at, complete)
SELECT k.source, k.host, k.kind, k.source_id, k.project_id, k.sett_id, k.record, k.state, k.count, k.at, k.complete <> 0
FROM {{rows k(source text, host text, kind text, source_id text, project_id bigint, sett_id bigint, record text, state text, count bigint, at bigint, complete bigint)}} WHERE true`

// unknownEnvironment is where errors are until their first event says it.
const unknownEnvironment = "production"

// addFaults adds errors that were not imported before. They have no key of an event yet, so none lands in them.
func (t Tx) addFaults(ctx context.Context, now time.Time, p FaultPage, fresh []move.Fault) error {
	var r faultRows
	for _, f := range fresh {
		r.add(p, f)
	}
	ids := map[string]int64{}
	err := t.EachRow(ctx, insertFaults, func(rows *sql.Rows) error {
		var id int64
		var key []byte
		err := rows.Scan(&id, &key)
		ids[string(key)] = id
		return err
	}, r.projects, r.keys, r.environments, r.classes, r.components, r.actions, r.messages, r.tags, r.firsts, r.resolved, r.ignored, r.onDeploy, r.assignees)
	if err != nil {
		return err
	}
	of := make([]int64, len(fresh))
	for i, key := range r.keys {
		of[i] = ids[string(key)]
	}
	if err := t.Each(ctx, insertFaultCounts, of, r.projects, r.counts, r.lasts); err != nil {
		return err
	}
	if err := t.Each(ctx, insertOwnKeys, r.projects, r.keys, of, db.Repeated(db.Micros(now), len(of))); err != nil {
		return err
	}
	return t.Each(ctx, insertImported, r.sources, r.hosts, r.kinds, r.ids, r.projects, of, r.records, r.states, r.counts, r.lasts, db.Repeated(0, len(of)))
}

// faultRows are the columns of errors.
type faultRows struct {
	sources, hosts, kinds, ids, records, states []string
	environments, classes, components, actions  []string
	messages, tags                              []string
	keys                                        [][]byte
	projects, firsts, lasts, counts             []int64
	resolved, ignored, onDeploy, assignees      []int64
}

func (r *faultRows) add(p FaultPage, f move.Fault) {
	r.sources, r.hosts, r.kinds, r.ids = append(r.sources, p.From.Source), append(r.hosts, p.From.Host), append(r.kinds, kindFault), append(r.ids, f.ID)
	r.records, r.states = append(r.records, recordOf(f)), append(r.states, string(f.State))
	r.environments, r.classes, r.components = append(r.environments, cmp.Or(f.Environment, unknownEnvironment)), append(r.classes, f.Class), append(r.components, f.Component)
	r.actions = append(r.actions, f.Action)
	tags := slices.Clone(f.Tags)
	if f.Short != "" {
		tags = append(tags, strings.ToLower(f.Short)) // by which people find it: other systems have links to it
	}
	r.messages, r.tags = append(r.messages, f.Message), append(r.tags, faults.JoinLines(tags))
	r.keys, r.projects = append(r.keys, ownKey(p.From, f.ID)), append(r.projects, p.ProjectID)
	r.firsts, r.lasts, r.counts = append(r.firsts, db.Micros(f.First)), append(r.lasts, db.Micros(f.Last)), append(r.counts, f.Count)
	r.resolved, r.ignored = append(r.resolved, flag(f.State == move.Resolved)), append(r.ignored, flag(f.State == move.Ignored))
	r.onDeploy, r.assignees = append(r.onDeploy, flag(f.OnDeploy && f.State == move.Open)), append(r.assignees, p.Assignees[strings.ToLower(f.Assignee)])
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

const growFault = `-- movedb.growFault
UPDATE fault_counts SET notices_count = notices_count + $2, last_notice_at = CASE WHEN last_notice_at < $3 THEN CAST($3 AS bigint) ELSE last_notice_at END WHERE fault_id = $1`

const restateFault = `-- movedb.restateFault
UPDATE faults SET resolved = $2, ignored = $3, resolved_in = '' WHERE id = $1`

const assignFault = `-- movedb.assignFault
UPDATE faults SET assignee_id = $2 WHERE id = $1 AND assignee_id IS NULL`

const noteFault = `-- movedb.noteFault
UPDATE imported SET record = $5, state = $6, count = CASE WHEN count < $7 THEN CAST($7 AS bigint) ELSE count END, last_at = $8, complete = false
WHERE source = $1 AND host = $2 AND kind = $3 AND source_id = $4`

// changeFault applies what has changed at the source since an error came: how often it occurred there, and its state and
// assignee, if no one has changed them in sett.
func (t Tx) changeFault(ctx context.Context, p FaultPage, k known, f move.Fault) error {
	if _, err := t.Exec(ctx, growFault, k.sett, max(f.Count-k.count, 0), db.Micros(f.Last)); err != nil {
		return err
	}
	state := k.state
	if now := stateOf(k.resolved, k.ignored); now == k.state && f.State != k.state {
		state = f.State
		if _, err := t.Exec(ctx, restateFault, k.sett, state == move.Resolved, state == move.Ignored); err != nil {
			return err
		}
	}
	if who := p.Assignees[strings.ToLower(f.Assignee)]; who != 0 && !k.assigned {
		var was move.Fault
		if err := json.Unmarshal([]byte(k.record), &was); err != nil {
			return err
		}
		if was.Assignee != f.Assignee {
			if _, err := t.Exec(ctx, assignFault, k.sett, who); err != nil {
				return err
			}
		}
	}
	_, err := t.Exec(ctx, noteFault, p.From.Source, p.From.Host, kindFault, f.ID, recordOf(f), string(state), f.Count, db.Micros(f.Last))
	return err
}

func stateOf(resolved, ignored bool) move.State {
	switch {
	case ignored:
		return move.Ignored
	case resolved:
		return move.Resolved
	}
	return move.Open
}

// Pending is an error whose events and comments are still to be read.
type Pending struct {
	move.Fault
	FaultID int64 // in sett
}

const pendingFaults = `-- movedb.pendingFaults
SELECT i.record, i.sett_id FROM imported i JOIN faults f ON f.id = i.sett_id
WHERE i.project_id = $1 AND i.kind = $2 AND NOT i.complete AND i.source = $3 AND i.host = $4 AND ($5 = '' OR i.state = $5) ORDER BY i.last_at DESC, i.source_id LIMIT 100`

// Pending returns the next errors of a project, in a state or in any (""), whose events and comments are to be read, last seen first: of two with
// the same key, the later one has it.
func (s *Store) Pending(ctx context.Context, from move.Place, projectID int64, in move.State) (all []Pending, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(pendingFaults), projectID, kindFault, from.Source, from.Host, string(in))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var p Pending
		var record string
		if err := rows.Scan(&record, &p.FaultID); err != nil {
			return err
		}
		err := json.Unmarshal([]byte(record), &p.Fault)
		all = append(all, p)
		return err
	})
	return all, db.Wrap("list errors that are to be read", err)
}

const countPending = `-- movedb.countPending
SELECT count(*) FROM imported i JOIN faults f ON f.id = i.sett_id WHERE i.project_id = $1 AND i.kind = $2 AND NOT i.complete AND i.source = $3 AND i.host = $4 AND ($5 = '' OR i.state = $5)`

// CountPending counts the errors that Pending returns in the end.
func (s *Store) CountPending(ctx context.Context, from move.Place, projectID int64, in move.State) (n int64, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(countPending), projectID, kindFault, from.Source, from.Host, string(in)).Scan(&n)
	return n, db.Wrap("count errors that are to be read", err)
}
