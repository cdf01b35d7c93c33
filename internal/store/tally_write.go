package store

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
)

const addFaultBuckets = `-- store.addFaultBuckets
INSERT INTO fault_buckets (width, at, fault_id, count)
SELECT k.width, k.at, k.fault_id, k.n FROM {{rows k(width bigint, at bigint, fault_id bigint, n bigint)}} WHERE true
ON CONFLICT (width, at, fault_id) DO UPDATE SET count = fault_buckets.count + excluded.count`

const addProjectBuckets = `-- store.addProjectBuckets
INSERT INTO project_buckets (width, at, project_id, environment, count)
SELECT k.width, k.at, k.project_id, k.environment, k.n
FROM {{rows k(width bigint, at bigint, project_id bigint, environment text, n bigint)}} WHERE true
ON CONFLICT (width, at, project_id, environment) DO UPDATE SET count = project_buckets.count + excluded.count`

const addNamedBuckets = `-- store.addNamedBuckets
INSERT INTO named_buckets (kind, at, project_id, environment, name, count)
SELECT k.kind, k.at, k.project_id, k.environment, k.name, k.n
FROM {{rows k(kind text, at bigint, project_id bigint, environment text, name text, n bigint)}} WHERE true
ON CONFLICT (kind, at, project_id, environment, name) DO UPDATE SET count = named_buckets.count + excluded.count`

const addFaultUsers = `-- store.addFaultUsers
INSERT INTO fault_users (fault_id, name, count)
SELECT k.fault_id, k.name, k.n FROM {{rows k(fault_id bigint, name text, n bigint)}} WHERE true
ON CONFLICT (fault_id, name) DO UPDATE SET count = fault_users.count + excluded.count`

const addLedger = `-- store.addLedger
INSERT INTO ledger (account_id, day, project_id, stored, ignored, limited, invalid)
SELECT k.account_id, k.day, k.project_id, k.stored, k.ignored, k.limited, k.invalid
FROM {{rows k(account_id text, day bigint, project_id bigint, stored bigint, ignored bigint, limited bigint, invalid bigint)}}
WHERE true
ON CONFLICT (account_id, day, project_id) DO UPDATE SET stored = ledger.stored + excluded.stored,
    ignored = ledger.ignored + excluded.ignored, limited = ledger.limited + excluded.limited,
    invalid = ledger.invalid + excluded.invalid`

const addFaultCounts = `-- store.addFaultCounts
UPDATE fault_counts SET notices_count = notices_count + k.n,
    last_notice_at = CASE WHEN last_notice_at > k.at THEN last_notice_at ELSE k.at END
FROM {{rows k(id bigint, n bigint, at bigint)}} WHERE fault_id = k.id RETURNING fault_id`

// write adds the sums to the tables, keys in order so that two nodes never wait for each other in a circle.
func (s *tally) write(ctx context.Context, t *tx) error {
	return errors.Join(s.writeCounts(ctx, t), s.writeFaults(ctx, t), s.writeProjects(ctx, t), s.writeNamed(ctx, t),
		s.writeUsers(ctx, t), s.writeLedger(ctx, t))
}

// writeCounts moves the counters of the faults. The error is errMoved when another node has deleted one of them since
// it was read; on SQLite nobody can, and what was pending of a deleted fault counts no more.
func (s *tally) writeCounts(ctx context.Context, t *tx) error {
	var ids, counts, ats []int64
	for _, id := range sorted(s.counts, cmp.Compare[int64]) {
		ids, counts, ats = append(ids, id), append(counts, s.counts[id].n), append(ats, micros(s.counts[id].last.Time()))
	}
	moved, err := t.affected(ctx, addFaultCounts, ids, counts, ats)
	if err == nil && moved != int64(len(ids)) && t.s.dialect != sqliteDialect {
		return errMoved
	}
	return err
}

func (s *tally) writeFaults(ctx context.Context, t *tx) error {
	var widths, ats, faults, counts []int64
	for _, k := range sorted(s.faults, func(a, b faultBucket) int {
		return cmp.Or(cmp.Compare(a.width, b.width), cmp.Compare(a.at, b.at), cmp.Compare(a.fault, b.fault))
	}) {
		widths, ats, faults, counts = append(widths, k.width), append(ats, k.at), append(faults, k.fault), append(counts, s.faults[k])
	}
	return t.each(ctx, addFaultBuckets, widths, ats, faults, counts)
}

func (s *tally) writeProjects(ctx context.Context, t *tx) error {
	var widths, ats, projects, counts []int64
	var environments []string
	for _, k := range sorted(s.projects, func(a, b projectBucket) int {
		return cmp.Or(cmp.Compare(a.width, b.width), cmp.Compare(a.at, b.at), cmp.Compare(a.project, b.project),
			cmp.Compare(a.environment, b.environment))
	}) {
		widths, ats, projects = append(widths, k.width), append(ats, k.at), append(projects, k.project)
		environments, counts = append(environments, k.environment), append(counts, s.projects[k])
	}
	return t.each(ctx, addProjectBuckets, widths, ats, projects, environments, counts)
}

func (s *tally) writeNamed(ctx context.Context, t *tx) error {
	var kinds, environments, names []string
	var ats, projects, counts []int64
	for _, k := range sorted(s.named, func(a, b namedBucket) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.at, b.at), cmp.Compare(a.project, b.project),
			cmp.Compare(a.environment, b.environment), cmp.Compare(a.name, b.name))
	}) {
		kinds, ats, projects = append(kinds, k.kind), append(ats, k.at), append(projects, k.project)
		environments, names, counts = append(environments, k.environment), append(names, k.name), append(counts, s.named[k])
	}
	return t.each(ctx, addNamedBuckets, kinds, ats, projects, environments, names, counts)
}

func (s *tally) writeUsers(ctx context.Context, t *tx) error {
	var faults, counts []int64
	var names []string
	for _, k := range sorted(s.users, func(a, b faultUser) int {
		return cmp.Or(cmp.Compare(a.fault, b.fault), cmp.Compare(a.name, b.name))
	}) {
		faults, names, counts = append(faults, k.fault), append(names, k.name), append(counts, s.users[k])
	}
	return t.each(ctx, addFaultUsers, faults, names, counts)
}

func (s *tally) writeLedger(ctx context.Context, t *tx) error {
	var accounts []string
	var days, projects, stored, ignored, limited, invalid []int64
	for _, k := range sorted(s.ledger, func(a, b ledgerLine) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.day, b.day), cmp.Compare(a.project, b.project))
	}) {
		n := s.ledger[k]
		accounts, days, projects = append(accounts, k.account), append(days, k.day), append(projects, k.project)
		stored, ignored, limited, invalid = append(stored, n[0]), append(ignored, n[1]), append(limited, n[2]), append(invalid, n[3])
	}
	return t.each(ctx, addLedger, accounts, days, projects, stored, ignored, limited, invalid)
}

func sorted[K comparable, V any](m map[K]V, order func(a, b K) int) []K {
	return slices.SortedFunc(maps.Keys(m), order)
}
