package archivedb

import (
	"context"
	"math"
	"slices"
	"strconv"

	"sett/internal/sett"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// The nouns that are no tables: what was sent with notices is in blocks of many, and a file belongs to its notice.
const (
	Events      = "events"
	Attachments = "attachments"
)

// Event is a notice, and the error under which it is stored.
type Event struct {
	faultdb.Sent
	FaultID int64
}

// eventsAtOnce is how many notices are in memory.
const eventsAtOnce = 200

// EachEvent calls yield with the notices of a project that can be read: those of each block in the order of their ids.
func (s *Store) EachEvent(ctx context.Context, projectID int64, yield func(Event) error) error {
	return s.block.EachNotice(ctx, s.db.Read, projectID, block.Span{From: 0, To: math.MaxInt64}, func(all []block.Kept) error {
		for lot := range slices.Chunk(all, eventsAtOnce) {
			of := map[int64]int64{}
			var ids []int64
			for _, n := range lot {
				of[n.ID], ids = n.Fault, append(ids, n.ID)
			}
			sent, err := s.fault.Sent(ctx, s.db.Read, projectID, ids)
			if err != nil {
				return err
			}
			slices.SortFunc(sent, func(a, b faultdb.Sent) int { return int(min(max(a.ID-b.ID, -1), 1)) })
			for _, n := range sent {
				if n.Err != nil {
					continue
				}
				if err := yield(Event{n, of[n.ID]}); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Attachment is a file that a client sent with a notice.
type Attachment struct {
	ID, ProjectID int64
	Event         sett.UUID // the id that people know the notice by
	Name, Type    string
	Bytes         int64
	Hash, Body    []byte // the body is compressed with zstd
}

const attachments = `-- archivedb.attachments
SELECT a.id, a.project_id, a.notice_id, n.token, a.name, a.type, a.bytes, a.hash, a.body FROM attachments a JOIN notices n ON n.id = a.notice_id
WHERE a.project_id = $1 ORDER BY a.id`

// EachAttachment calls yield with the files of a project.
func (s *Store) EachAttachment(ctx context.Context, projectID int64, yield func(Attachment) error) error {
	rows, err := s.db.Read.QueryContext(ctx, attachments, projectID)
	_, err = db.Collect(rows, err, func(r db.Row) (struct{}, error) {
		var a Attachment
		var notice int64
		var token []byte
		if err := r.Scan(&a.ID, &a.ProjectID, &notice, &token, &a.Name, &a.Type, &a.Bytes, &a.Hash, &a.Body); err != nil {
			return struct{}{}, err
		}
		if a.Event = sett.NoticeID(notice).UUID(); len(token) == len(a.Event) {
			a.Event = sett.UUID(token)
		}
		return struct{}{}, yield(a)
	})
	return db.Wrap("read attachments", err)
}

const insertAttachment = `-- archivedb.insertAttachment
INSERT INTO attachments (project_id, notice_id, hash, name, type, bytes, stored, body)
SELECT $1, t.notice_id, $2, $3, $4, $5, $6, $7 FROM notice_tokens t JOIN notices n ON n.id = t.notice_id WHERE t.token = $8 AND t.project_id = $1
ON CONFLICT (notice_id, hash) DO NOTHING`

// AddAttachment stores a file of an event that came, and notes that so many were stored. It says whether it came.
func (i *Import) AddAttachment(ctx context.Context, a Attachment, upto int64) (came bool, err error) {
	project, err := i.Project(a.ProjectID)
	if err != nil {
		return false, err
	}
	err = i.s.db.InTx(ctx, "import a file", func(t *db.Tx) error {
		n, err := t.Changed(ctx, insertAttachment, project, a.Hash, a.Name, a.Type, a.Bytes, len(a.Body), a.Body, a.Event[:])
		if came = n > 0; err != nil {
			return err
		}
		return i.note(ctx, t, Attachments, strconv.FormatInt(upto, 10))
	})
	return came, err
}

// Project returns the id of what was a project.
func (i *Import) Project(id int64) (int64, error) { return i.moved("projects", id) }

// Fault returns the id of what was an error, or a part of one.
func (i *Import) Fault(id int64) (int64, error) { return i.moved("errors", id) }

// NoteDone notes that so many records of a noun were stored.
func (i *Import) NoteDone(ctx context.Context, noun string, upto int64) error {
	return i.s.db.InTx(ctx, "note the progress of an import", func(t *db.Tx) error {
		return i.note(ctx, t, noun, strconv.FormatInt(upto, 10))
	})
}
