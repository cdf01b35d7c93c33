package rollupdb

import (
	"cmp"
	"context"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// projectCounts holds the buckets of projects, and the usage of accounts.
type projectCounts map[projectMinute]int64

// projectMinute is an environment of a project in the minute that starts at at, in seconds.
type projectMinute struct {
	at, project int64
	environment string
	account     string
}

func newProjectCounts() sum { return projectCounts{} }

func (c projectCounts) add(n *Notice) {
	c[projectMinute{n.ID.Time().Unix() / faultdb.Minute * faultdb.Minute, n.Project, n.Environment, n.Account}]++
}

func (c projectCounts) write(ctx context.Context, t tx) error {
	stored := OutcomeCounts{}
	for k, n := range c {
		stored.Add(k.account, k.project, time.Unix(k.at, 0), accounts.Stored, n)
	}
	if err := stored.writeStored(ctx, t); err != nil {
		return err
	}
	return c.writeBuckets(ctx, t)
}

const addProjectBuckets = `-- rollupdb.addProjectBuckets
INSERT INTO project_buckets (width, at, project_id, environment, count)
SELECT k.width, k.at, k.project_id, k.environment, k.n
FROM {{rows k(width bigint, at bigint, project_id bigint, environment text, n bigint)}} WHERE true
ON CONFLICT (width, at, project_id, environment) DO UPDATE SET count = project_buckets.count + excluded.count`

type projectBucket struct {
	width, at, project int64
	environment        string
}

func (c projectCounts) writeBuckets(ctx context.Context, t tx) error {
	of := map[int64]bool{}
	for k := range c {
		of[k.project] = true
	}
	gone, err := t.goneProjects(ctx, of)
	if err != nil {
		return err
	}
	buckets := map[projectBucket]int64{}
	for k, n := range c {
		if gone[k.project] {
			continue
		}
		for _, width := range faultdb.Widths {
			buckets[projectBucket{width, k.at / width * width, k.project, k.environment}] += n
		}
	}
	var ws, ats, projects, ns []int64
	var environments []string
	for _, k := range db.Sorted(buckets, func(a, b projectBucket) int {
		return cmp.Or(cmp.Compare(a.width, b.width), cmp.Compare(a.at, b.at), cmp.Compare(a.project, b.project),
			cmp.Compare(a.environment, b.environment))
	}) {
		ws, ats, projects = append(ws, k.width), append(ats, k.at), append(projects, k.project)
		environments, ns = append(environments, k.environment), append(ns, buckets[k])
	}
	return t.Each(ctx, addProjectBuckets, ws, ats, projects, environments, ns)
}
