package intakedb

import (
	"context"

	"sett/internal/store/db"
)

const noteFirstNotice = `-- intakedb.noteFirstNotice
UPDATE projects SET earliest_notice_at = k.at FROM {{rows k(id bigint, at bigint)}}
WHERE projects.id = k.id AND earliest_notice_at IS NULL`

// noteFirst records the time of the first notice of each project.
func (b *batch) noteFirst(ctx context.Context) error {
	b.seen.projects = map[int64]bool{}
	var projects, ats []int64
	for _, i := range b.Live {
		p := b.in.Reports[i].ProjectID
		if b.seen.projects[p] || b.S.seen.project(p) {
			continue
		}
		b.seen.projects[p] = true
		projects, ats = append(projects, p), append(ats, db.Micros(b.Ids[i].Time()))
	}
	return b.t.Later(ctx, noteFirstNotice, projects, ats)
}
