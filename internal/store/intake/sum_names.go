package intake

import (
	"cmp"
	"context"

	"sett/internal/store/db"
	"sett/internal/store/fault"
)

// names counts notices per hour by class, location or user.
type names struct {
	kind   string
	counts map[namedBucket]int64
}

type namedBucket struct {
	at, project int64
	environment string
	name        string
}

func newClassCounts() sum    { return names{fault.OfClass, map[namedBucket]int64{}} }
func newLocationCounts() sum { return names{fault.OfLocation, map[namedBucket]int64{}} }
func newUserCounts() sum     { return names{fault.OfUser, map[namedBucket]int64{}} }

func (s names) add(n *noted) {
	name := n.facts.Class
	switch s.kind {
	case fault.OfLocation:
		name = n.facts.Location
	case fault.OfUser:
		name = n.facts.User
	}
	if name != "" || s.kind == fault.OfClass {
		s.counts[namedBucket{n.id.Time().Unix() / fault.Hour * fault.Hour, n.owner.project, n.owner.environment, name}]++
	}
}

const addNamedBuckets = `-- store.addNamedBuckets
INSERT INTO named_buckets (kind, at, project_id, environment, name, count)
SELECT k.kind, k.at, k.project_id, k.environment, k.name, k.n
FROM {{rows k(kind text, at bigint, project_id bigint, environment text, name text, n bigint)}} WHERE true
ON CONFLICT (kind, at, project_id, environment, name) DO UPDATE SET count = named_buckets.count + excluded.count`

func (s names) write(ctx context.Context, t Tx) error {
	of := map[int64]bool{}
	for k := range s.counts {
		of[k.project] = true
	}
	gone, err := t.goneProjects(ctx, of)
	if err != nil {
		return err
	}
	var kinds, environments, texts []string
	var ats, projects, ns []int64
	for _, k := range db.Sorted(s.counts, func(a, b namedBucket) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.project, b.project),
			cmp.Compare(a.environment, b.environment), cmp.Compare(a.name, b.name))
	}) {
		if gone[k.project] {
			continue
		}
		kinds, ats, projects = append(kinds, s.kind), append(ats, k.at), append(projects, k.project)
		environments, texts, ns = append(environments, k.environment), append(texts, k.name), append(ns, s.counts[k])
	}
	return t.Each(ctx, addNamedBuckets, kinds, ats, projects, environments, texts, ns)
}
