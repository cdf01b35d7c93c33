package faultdb

import (
	"context"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// FaultWithNotice returns a fault with its notice of a public id, or with the newest one if the id is "". The notice is nil if none is stored
// any longer. The error is NotFound if the project has no such fault, or the fault no such notice.
func (s *Store) FaultWithNotice(ctx context.Context, projectID, faultID int64, id string) (f faults.Fault, n *faults.Notice, err error) {
	err = s.db.Snapshot(ctx, "read fault with a notice", func(q db.Querier) error {
		if f, err = s.ReadFault(ctx, q, projectID, faultID); err != nil {
			return err
		}
		owner, parts, err := s.ownerAndParts(ctx, q, projectID, faultID)
		if err != nil {
			return err
		}
		n, err = s.noticeOf(ctx, q, owner, parts, id)
		return err
	})
	return f, n, err
}

// NewestNotice returns the last notice of a fault, or nil if it has none left. The error is NotFound if the project has no such fault.
func (s *Store) NewestNotice(ctx context.Context, projectID, faultID int64) (n *faults.Notice, err error) {
	err = s.db.Snapshot(ctx, "read newest notice", func(q db.Querier) error {
		owner, parts, err := s.ownerAndParts(ctx, q, projectID, faultID)
		if err != nil {
			return err
		}
		n, err = s.noticeOf(ctx, q, owner, parts, "")
		return err
	})
	return n, err
}

// noticeOf returns the notice of a fault with a public id, or the newest one if the id is ""; nil if none is stored any longer.
func (s *Store) noticeOf(ctx context.Context, q db.Querier, o noticeOwner, parts []int64, id string) (*faults.Notice, error) {
	if id != "" {
		return s.namedNotice(ctx, q, o, id)
	}
	newest, err := s.newestNotice(ctx, q, parts)
	if err != nil {
		return nil, err
	}
	n, err := s.oneNotice(ctx, q, o, newest)
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &n, nil
}

// namedNotice returns the notice of a fault with a public id, or a NotFound error.
func (s *Store) namedNotice(ctx context.Context, q db.Querier, o noticeOwner, id string) (*faults.Notice, error) {
	uuid, err := sett.ParseUUID(id)
	if err != nil {
		return nil, NoEvent()
	}
	key, of, err := s.findNotice(ctx, q, findNotice, o.projectID, uuid)
	switch {
	case err == nil && of != o.faultID, sett.CodeOf(err) == sett.NotFound:
		return nil, NoEvent()
	case err != nil:
		return nil, err
	}
	n, err := s.oneNotice(ctx, q, o, key)
	if err != nil {
		return nil, err
	}
	return &n, nil
}

// NoEvent is the error for a notice that a fault does not have.
func NoEvent() error {
	return sett.Errorf(sett.NotFound, "Not found: this error has no such event. Its retention period may have ended.")
}
