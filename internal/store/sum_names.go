package store

import (
	"cmp"
	"context"
)

// The kinds of named buckets.
const (
	byClass    = "class"
	byLocation = "location"
	byUser     = "user"
)

// names are the notices an hour by their class, location and user.
type names map[namedBucket]int64

type namedBucket struct {
	kind        string
	at, project int64
	environment string
	name        string
}

func newNames() sum { return names{} }

func (s names) add(n noted) {
	k := namedBucket{byClass, n.id.Time().Unix() / hour * hour, n.owner.project, n.owner.environment, n.facts.class}
	s[k]++
	if n.facts.location != "" {
		k.kind, k.name = byLocation, n.facts.location
		s[k]++
	}
	if n.facts.user != "" {
		k.kind, k.name = byUser, n.facts.user
		s[k]++
	}
}

const addNamedBuckets = `-- store.addNamedBuckets
INSERT INTO named_buckets (kind, at, project_id, environment, name, count)
SELECT k.kind, k.at, k.project_id, k.environment, k.name, k.n
FROM {{rows k(kind text, at bigint, project_id bigint, environment text, name text, n bigint)}} WHERE true
ON CONFLICT (kind, at, project_id, environment, name) DO UPDATE SET count = named_buckets.count + excluded.count`

func (s names) write(ctx context.Context, t *tx) error {
	var kinds, environments, texts []string
	var ats, projects, ns []int64
	for _, k := range sorted(s, func(a, b namedBucket) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.at, b.at), cmp.Compare(a.project, b.project),
			cmp.Compare(a.environment, b.environment), cmp.Compare(a.name, b.name))
	}) {
		kinds, ats, projects = append(kinds, k.kind), append(ats, k.at), append(projects, k.project)
		environments, texts, ns = append(environments, k.environment), append(texts, k.name), append(ns, s[k])
	}
	return t.each(ctx, addNamedBuckets, kinds, ats, projects, environments, texts, ns)
}
