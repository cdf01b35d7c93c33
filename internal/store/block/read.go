package block

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"sett/internal/event/column"
	"sett/internal/store/db"
)

// held is a block that was found for one of its notices.
type held struct {
	id, project, count int64
	remote             bool
	known              bool // its facets are marked; only where it is read as a whole
	gone               []byte
	list
}

const blockOf = `-- block.blockOf
SELECT id, project_id, count, remote, gone, notices FROM blocks WHERE project_id = $1 AND id <= $2 AND last_id >= $2 ORDER BY id DESC`

const blockOfLocked = blockOf + ` {{for update}}`

// blockWith returns the block of a project that contains a notice, or nil; also if the block cannot be read. Blocks overlap only where notices were stored late.
func (s *Store) blockWith(ctx context.Context, q db.Querier, statement string, projectID, notice int64) (found *held, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(statement), projectID, notice)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		if found != nil {
			return nil
		}
		h := &held{}
		var notices []byte
		if err := rows.Scan(&h.id, &h.project, &h.count, &h.remote, &h.gone, &notices); err != nil {
			return err
		}
		var err error
		if h.list, err = openList(notices, h.id); err != nil {
			return nil //nolint:nilerr // its notices are shown as unreadable, like that of a damaged bundle
		}
		if _, ok := h.row(notice); ok {
			found = h
		}
		return nil
	})
	return found, err
}

const framesOf = `-- block.framesOfBlock
SELECT body FROM block_payloads WHERE block_id = $1 AND number = $2`

// Payloads returns the payloads of notices of a project that are in blocks. Those that are not, or cannot be read, are missing. If object storage
// does not respond, it returns those that it could read, and an Unavailable error.
func (s *Store) Payloads(ctx context.Context, q db.Querier, projectID int64, notices []int64) (payloads map[int64][]byte, err error) {
	payloads = make(map[int64][]byte, len(notices))
	type place struct {
		*held
		frame int
	}
	wanted := map[place]map[int]int64{} // slot in the frame → notice
	err = s.inBlocks(ctx, q, blockOf, projectID, notices, func(b *held, row int, id int64) bool {
		at := place{b, row / framePayloads}
		if wanted[at] == nil {
			wanted[at] = map[int]int64{}
		}
		wanted[at][row%framePayloads] = id
		return true
	})
	if err != nil {
		return nil, err
	}
	var later error
	for at, slots := range wanted {
		body, err := s.frame(ctx, q, at.held, at.frame)
		switch {
		case errors.Is(err, db.ErrLater), isAway(err):
			later = err
			continue
		case err != nil && !errors.Is(err, errBlock):
			return nil, fmt.Errorf("read frame %d of block %d: %w", at.frame, at.id, err)
		}
		frame, err := openFrame(body)
		if err != nil {
			continue // shown as unreadable, like the payload of a damaged bundle
		}
		for slot, id := range slots {
			if payload, ok := frame.payload(slot); ok {
				payloads[id] = payload
			}
		}
	}
	return payloads, later
}

// usersIn returns the affected users of notices of a project that are in blocks, in a transaction: it reads nothing from object storage.
func (s *Store) usersIn(ctx context.Context, q db.Querier, projectID int64, notices []int64) (users map[int64]string, err error) {
	users = make(map[int64]string, len(notices))
	rows := map[*held]map[int64]int{}
	err = s.inBlocks(ctx, q, blockOf, projectID, notices, func(b *held, row int, id int64) bool {
		if rows[b] == nil {
			rows[b] = map[int64]int{}
		}
		rows[b][id] = row
		return true
	})
	if err != nil {
		return nil, err
	}
	for b, of := range rows {
		all, err := s.usersOf(ctx, q, b)
		if err != nil {
			return nil, fmt.Errorf("read users of block %d: %w", b.id, err)
		}
		for id, row := range of {
			users[id] = all[row]
		}
	}
	return users, nil
}

const usersOfObject = `-- block.usersOfBlock
SELECT users FROM block_objects WHERE block_id = $1`

// usersOf returns the affected user of each row of a block. Those of payloads that cannot be read are empty.
func (s *Store) usersOf(ctx context.Context, q db.Querier, b *held) (users []string, err error) {
	if b.remote {
		var packed []byte
		if err := q.QueryRowContext(ctx, s.db.Text(usersOfObject), b.id).Scan(&packed); err != nil {
			return nil, err
		}
		if users, err = readUsers(packed, len(b.ids)); err != nil {
			return make([]string, len(b.ids)), nil //nolint:nilerr // their counts stay as they are, as with damaged payloads
		}
		return users, nil
	}
	frames, err := s.frames(ctx, q, b)
	if err != nil {
		return nil, err
	}
	return s.usersInFrames(frames, len(b.ids)), nil
}

func (s *Store) usersInFrames(frames []body, rows int) []string {
	users := make([]string, rows)
	for row, payload := range eachPayload(frames, rows) {
		users[row] = s.UserOf(payload)
	}
	return users
}

// inBlocks calls f with the block and row of each of some notices of a project that is in a block, newest first, until f returns false. Where
// blocks overlap, f may get one again after another.
func (s *Store) inBlocks(ctx context.Context, q db.Querier, statement string, projectID int64, notices []int64, f func(b *held, row int, id int64) (more bool)) error {
	var last *held
	for _, id := range slices.SortedFunc(slices.Values(notices), func(a, b int64) int { return cmp.Compare(b, a) }) {
		if last != nil {
			if row, ok := last.row(id); ok {
				if !f(last, row, id) {
					break
				}
				continue
			}
		}
		found, err := s.blockWith(ctx, q, statement, projectID, id)
		if err != nil {
			return err
		}
		if found == nil {
			continue
		}
		last = found
		if row, _ := found.row(id); !f(found, row, id) {
			break
		}
	}
	return nil
}

const projectsOfFaults = `-- block.projectsOfFaults
SELECT k.id, coalesce(f.project_id, m.project_id, g.project_id, 0) FROM {{rows k(id bigint)}} LEFT JOIN faults f ON f.id = k.id
LEFT JOIN merged_faults m ON m.id = k.id LEFT JOIN fault_graves g ON g.fault_id = k.id`

const setGone = `-- block.setGone
UPDATE blocks SET gone = $2, rewrites = true WHERE id = $1`

// Gone are notices that are being deleted. The zero value is none.
type Gone map[int64][]Member // by bundle

// Add adds a notice, with what its row says.
func (g Gone) Add(id, fault, bundle, slot int64) {
	g[bundle] = append(g[bundle], Member{int(slot), id, fault})
}

// slots returns the slots of the notices in each bundle, as bits.
func (g Gone) slots() map[int64]int64 {
	slots := make(map[int64]int64, len(g))
	for bundle, members := range g {
		for _, m := range members {
			slots[bundle] |= 1 << m.Slot
		}
	}
	return slots
}

// Remove removes the payloads and facets of notices that are being deleted: from bundles at once; in blocks they are marked, so that
// nothing returns them, until Rewrite removes them. It first calls show, if there is one, with the fault and the affected user of each notice.
func (t Tx) Remove(ctx context.Context, gone Gone, show func(fault int64, user string)) error {
	showBundle := func(bundle int64, payloads [][]byte) {
		for _, m := range gone[bundle] {
			if show != nil && m.Slot < len(payloads) {
				show(m.Fault, t.s.UserOf(payloads[m.Slot]))
			}
		}
	}
	missing, err := t.clearSlots(ctx, gone.slots(), showBundle)
	if err != nil {
		return err
	}
	inBlocks := map[int64]int64{}
	for bundle := range missing {
		for _, m := range gone[bundle] {
			inBlocks[m.ID] = m.Fault
		}
	}
	return t.mark(ctx, inBlocks, show)
}

// mark marks notices of blocks as deleted: id → fault.
func (t Tx) mark(ctx context.Context, notices map[int64]int64, show func(fault int64, user string)) error {
	if len(notices) == 0 {
		return nil
	}
	faults := map[int64]int64{}
	for _, fault := range notices {
		faults[fault] = 0
	}
	err := t.EachRow(ctx, projectsOfFaults, func(rows *sql.Rows) error {
		var id, project int64
		err := rows.Scan(&id, &project)
		faults[id] = project
		return err
	}, db.Sorted(faults, cmp.Compare))
	if err != nil {
		return fmt.Errorf("find projects of faults: %w", err)
	}
	of := map[int64][]int64{}
	for id, fault := range notices {
		of[faults[fault]] = append(of[faults[fault]], id)
	}
	for _, project := range db.Sorted(of, cmp.Compare) {
		if show != nil {
			users, err := t.s.usersIn(ctx, t, project, of[project])
			if err != nil {
				return err
			}
			for id, user := range users {
				show(notices[id], user)
			}
		}
		if err := t.markOf(ctx, project, of[project]); err != nil {
			return err
		}
	}
	return nil
}

func (t Tx) markOf(ctx context.Context, projectID int64, notices []int64) error {
	gone := map[int64]column.Set{} // by block
	var failed error
	err := t.s.inBlocks(ctx, t, blockOfLocked, projectID, notices, func(b *held, row int, _ int64) bool {
		if gone[b.id] == nil {
			set, err := column.ReadSet(b.gone, len(b.ids))
			if err != nil {
				failed = err
				set = column.NewSet(len(b.ids))
			}
			gone[b.id] = set
		}
		gone[b.id].Add(row)
		return true
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("find blocks of deleted notices: %w", err)
	}
	for _, id := range db.Sorted(gone, cmp.Compare) {
		if _, err := t.Exec(ctx, setGone, id, gone[id].Bytes()); err != nil {
			return fmt.Errorf("mark deleted notices of a block: %w", err)
		}
	}
	return nil
}
