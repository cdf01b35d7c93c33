package store

import "context"

const addEnvironments = `-- store.addEnvironments
INSERT INTO environments (project_id, name, notifications, created_at, updated_at)
SELECT k.project_id, k.name, true, k.at, k.at FROM {{rows k(project_id bigint, name text, at bigint)}} WHERE true
ON CONFLICT (project_id, name) DO NOTHING`

// noteEnvironments makes the environments that the notices are the first to name.
func (b *batch) noteEnvironments(ctx context.Context) error {
	now := b.now.Unix() / minute
	b.seen.environments = map[environmentKey]int64{}
	var projects, ats []int64
	var names []string
	for _, i := range b.live {
		k := environmentKey{b.in.Reports[i].ProjectID, b.in.Reports[i].Environment}
		if _, noted := b.seen.environments[k]; noted || b.s.seen.environment(k, now) {
			continue
		}
		b.seen.environments[k] = now
		projects, names, ats = append(projects, k.project), append(names, k.name), append(ats, micros(b.now))
	}
	return b.t.each(ctx, addEnvironments, projects, names, ats)
}

const noteFirstNotice = `-- store.noteFirstNotice
UPDATE projects SET earliest_notice_at = k.at FROM {{rows k(id bigint, at bigint)}}
WHERE projects.id = k.id AND earliest_notice_at IS NULL`

// noteFirst dates the first notice of each project.
func (b *batch) noteFirst(ctx context.Context) error {
	b.seen.projects = map[int64]bool{}
	var projects, ats []int64
	for _, i := range b.live {
		p := b.in.Reports[i].ProjectID
		if b.seen.projects[p] || b.s.seen.project(p) {
			continue
		}
		b.seen.projects[p] = true
		projects, ats = append(projects, p), append(ats, micros(b.ids[i].Time()))
	}
	return b.t.each(ctx, noteFirstNotice, projects, ats)
}
