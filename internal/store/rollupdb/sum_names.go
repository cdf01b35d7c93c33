package rollupdb

import (
	"cmp"
	"context"

	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// names counts notices per hour by class, location or user. There may be a hundred thousand names, of a few environments.
type names struct {
	kind    string
	buckets map[hourOf]map[string]int64
}

// hourOf is an hour, in seconds since 1970, of an environment.
type hourOf struct {
	at, project int64
	environment string
}

func newClassCounts() sum    { return names{faultdb.OfClass, map[hourOf]map[string]int64{}} }
func newLocationCounts() sum { return names{faultdb.OfLocation, map[hourOf]map[string]int64{}} }
func newUserCounts() sum     { return names{faultdb.OfUser, map[hourOf]map[string]int64{}} }

func (s names) add(n *Notice) {
	name := n.Facts.Class
	switch s.kind {
	case faultdb.OfLocation:
		name = n.Facts.Location
	case faultdb.OfUser:
		name = n.Facts.User
	}
	if name == "" && s.kind != faultdb.OfClass {
		return
	}
	hour := hourOf{n.ID.Time().Unix() / faultdb.Hour * faultdb.Hour, n.Project, n.Environment}
	counts := s.buckets[hour]
	if counts == nil {
		counts = map[string]int64{}
		s.buckets[hour] = counts
	}
	counts[name]++
}

const addNamedBuckets = `-- rollupdb.addNamedBuckets
INSERT INTO named_buckets (kind, at, project_id, environment, name, count)
SELECT k.kind, k.at, k.project_id, k.environment, k.name, k.n
FROM {{rows k(kind text, at bigint, project_id bigint, environment text, name text, n bigint)}} WHERE true
ON CONFLICT (kind, at, project_id, environment, name) DO UPDATE SET count = named_buckets.count + excluded.count`

func (s names) write(ctx context.Context, t tx) error {
	of := map[int64]bool{}
	for hour := range s.buckets {
		of[hour.project] = true
	}
	gone, err := t.goneProjects(ctx, of)
	if err != nil {
		return err
	}
	var kinds, environments, texts []string
	var ats, projects, ns []int64
	for _, hour := range db.Sorted(s.buckets, func(a, b hourOf) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.project, b.project), cmp.Compare(a.environment, b.environment))
	}) {
		if gone[hour.project] {
			continue
		}
		counts := s.buckets[hour]
		for _, name := range db.Sorted(counts, cmp.Compare) {
			kinds, ats, projects = append(kinds, s.kind), append(ats, hour.at), append(projects, hour.project)
			environments, texts, ns = append(environments, hour.environment), append(texts, name), append(ns, counts[name])
		}
	}
	return t.Each(ctx, addNamedBuckets, kinds, ats, projects, environments, texts, ns)
}
