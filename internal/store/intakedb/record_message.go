package intakedb

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// saidBy is a message of a part, or what led to it.
type saidBy struct {
	cause bool
	key   faults.SaidKey
}

// partMessages is what is known of the messages of a part. It is not changed once it is cached.
type partMessages struct {
	readAt  time.Time
	own     faults.SaidKey           // of the part itself
	written map[saidBy]sett.NoticeID // what is stored, and with which notice it was, as far as this process knows
	kept    [2]int                   // how many of these are of events and of causes
	old     [2][]saidBy              // of these, what was not said for long; the oldest last
}

// rereadMessages is after how long this process reads again what is stored of a part: another may have added to it, or deleted it.
const rereadMessages = 10 * time.Minute

// messageHour is for how long a message keeps its place, and how often that of a cause is written.
const messageHour = time.Hour

// newSaid is what events of the batch say.
type newSaid struct {
	faults.Said
	count       int64
	first, last sett.NoticeID
}

// noteMessages stores the messages of events, from the time on when those of an error differ, and what led to them.
func (b *batch) noteMessages(ctx context.Context) error {
	b.said, b.again = map[faultdb.MessageKey]*newSaid{}, map[faultdb.MessageKey]*newSaid{}
	if err := b.readMessages(ctx); err != nil {
		return fmt.Errorf("read messages of faults: %w", err)
	}
	for _, i := range b.Live {
		r := b.in.Reports[i]
		b.noteSaid(i, saidBy{false, r.Said}, faults.Said{Class: r.Class, Message: r.Message})
		for j, cause := range r.Causes {
			b.noteSaid(i, saidBy{true, cause}, r.Report.Causes[j])
		}
	}
	return db.Wrap("write messages of faults", b.writeMessages(ctx))
}

// noteSaid notes that an event, or a cause of it, says something. What is stored already is counted later; see laterSaid.
func (b *batch) noteSaid(i int, by saidBy, said faults.Said) {
	part := b.partOf(i)
	m := b.messages[part]
	if !by.cause && m.kept[0] == 0 && by.key == m.own {
		return
	}
	last, known := m.written[by]
	if !known {
		by = b.place(b.in.Reports[i].ProjectID, part, by)
		last, known = b.messages[part].written[by]
	}
	if by.cause && known && b.Ids[i].Time().Sub(last.Time()) < messageHour {
		return
	}
	into := b.again
	if !known {
		into = b.said
	}
	if by.cause || !known {
		b.changed(part).written[by] = b.Ids[i]
	}
	k := faultdb.MessageKey{Project: b.in.Reports[i].ProjectID, Part: part, Cause: by.cause, Key: by.key}
	n := into[k]
	if n == nil {
		n = &newSaid{first: b.Ids[i]}
		into[k] = n
	}
	n.Said, n.last = said.Kept(), b.Ids[i]
	n.count++
}

// place returns under which key something new is stored: its own if there is room, or if something else that was not said for long makes room.
func (b *batch) place(project, part int64, by saidBy) saidBy {
	kind, most := 0, faults.MostMessages
	if by.cause {
		kind, most = 1, faults.MostCauses
	}
	n := len(b.messages[part].old[kind])
	if b.messages[part].kept[kind] >= most && n == 0 {
		return saidBy{cause: by.cause}
	}
	m := b.changed(part)
	if m.kept[kind] < most {
		m.kept[kind]++
		return by
	}
	spared := m.old[kind][n-1]
	m.old[kind] = m.old[kind][:n-1]
	delete(m.written, spared)
	b.spared = append(b.spared, faultdb.MessageKey{Project: project, Part: part, Cause: spared.cause, Key: spared.key})
	return by
}

// changed returns what is known of a part, for a change that no other batch sees before this one is committed.
func (b *batch) changed(part int64) *partMessages {
	m := b.messages[part]
	if b.ownMessages[part] {
		return m
	}
	one := *m
	one.written = maps.Clone(m.written)
	for kind := range one.old {
		one.old[kind] = slices.Clone(m.old[kind])
	}
	b.messages[part], b.ownMessages[part] = &one, true
	return &one
}

const saidByParts = `-- intakedb.saidByParts
SELECT k.id, coalesce(f.class, m.class, ''), coalesce(f.message, m.message, '')
FROM {{rows k(id bigint)}} LEFT JOIN faults f ON f.id = k.id LEFT JOIN merged_faults m ON m.id = k.id`

const messagesOfParts = `-- intakedb.messagesOfParts
SELECT v.part_id, v.cause, v.key, v.last_id
FROM {{rows k(project_id bigint, id bigint)}} JOIN fault_messages v ON v.project_id = k.project_id AND v.part_id = k.id`

// readMessages reads what is stored of the parts of the batch, as far as that is not cached.
func (b *batch) readMessages(ctx context.Context) error {
	b.messages, b.ownMessages = map[int64]*partMessages{}, map[int64]bool{}
	var projects, ids []int64
	for _, i := range b.Live {
		r, part := b.in.Reports[i], b.partOf(i)
		if b.messages[part] != nil {
			continue
		}
		if b.messages[part] = b.S.seen.messagesOf(part, b.now); b.messages[part] != nil {
			continue
		}
		b.messages[part], b.ownMessages[part] = &partMessages{readAt: b.now, own: r.Said, written: map[saidBy]sett.NoticeID{}}, true
		if f := b.faultOf(i); f.made && part == f.id {
			b.messages[part].own = f.first.Said
		} else {
			projects, ids = append(projects, r.ProjectID), append(ids, part)
		}
	}
	b.t.Ask(saidByParts, func(rows db.Row) error {
		var part int64
		var said faults.Said
		err := rows.Scan(&part, &said.Class, &said.Message)
		b.messages[part].own = said.Key()
		return err
	}, ids)
	b.t.Ask(messagesOfParts, func(rows db.Row) error { return b.scanMessage(rows) }, projects, ids)
	if len(ids) == 0 {
		return nil
	}
	err := b.t.Answers(ctx)
	for _, part := range ids {
		b.messages[part].sortOld(b.now)
	}
	return err
}

func (b *batch) scanMessage(rows db.Row) error {
	var part, last int64
	var by saidBy
	var key []byte
	err := rows.Scan(&part, &by.cause, &key, &last)
	copy(by.key[:], key)
	b.messages[part].written[by] = sett.NoticeID(last)
	return err
}

// sortOld counts what is stored, and finds what was not said for long.
func (m *partMessages) sortOld(now time.Time) {
	for by, last := range m.written {
		kind := 0
		if by.cause {
			kind = 1
		}
		if by.key == (faults.SaidKey{}) {
			continue
		}
		if m.kept[kind]++; now.Sub(last.Time()) > messageHour {
			m.old[kind] = append(m.old[kind], by)
		}
	}
	for _, old := range m.old {
		slices.SortFunc(old, func(a, b saidBy) int { return cmp.Compare(m.written[b], m.written[a]) })
	}
}

const upsertMessages = `-- intakedb.upsertMessages
INSERT INTO fault_messages (project_id, part_id, cause, key, class, message, count, first_id, last_id)
SELECT k.project_id, k.part_id, k.cause, k.key, k.class, k.message, k.count, k.first_id, k.last_id
FROM {{rows k(project_id bigint, part_id bigint, cause boolean, key bytea, class text, message text, count bigint, first_id bigint, last_id bigint)}} WHERE true
ON CONFLICT (project_id, part_id, cause, key) DO UPDATE SET class = excluded.class, message = excluded.message, count = fault_messages.count + excluded.count,
    last_id = CASE WHEN fault_messages.last_id > excluded.last_id THEN fault_messages.last_id ELSE excluded.last_id END`

// saidColumns are messages as columns.
type saidColumns struct {
	projects, parts, counts, firsts, lasts []int64
	causes                                 []bool
	keys                                   [][]byte
	classes, messages                      []string
}

func (c *saidColumns) add(k faultdb.MessageKey, n *newSaid) {
	c.projects, c.parts, c.causes, c.keys = append(c.projects, k.Project), append(c.parts, k.Part), append(c.causes, k.Cause), append(c.keys, k.Key[:])
	c.classes, c.messages, c.counts = append(c.classes, n.Class), append(c.messages, n.Message), append(c.counts, n.count)
	c.firsts, c.lasts = append(c.firsts, int64(n.first)), append(c.lasts, int64(n.last))
}

// writeMessages stores what the batch says first. Another node may store the same, so it locks rows in order.
func (b *batch) writeMessages(ctx context.Context) error {
	if err := b.t.fault().ForgetMessages(ctx, b.spared); err != nil {
		return err
	}
	var c saidColumns
	for _, k := range db.Sorted(b.said, faultdb.MessageKey.Compare) {
		c.add(k, b.said[k])
	}
	return b.t.Later(ctx, upsertMessages, c.projects, c.parts, c.causes, c.keys, c.classes, c.messages, c.counts, c.firsts, c.lasts)
}
