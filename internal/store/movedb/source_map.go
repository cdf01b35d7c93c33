package movedb

import (
	"context"

	"sett/internal/sett/move"
	"sett/internal/store/db"
)

// CameMaps returns which of some source maps came before, by their places in the list.
func (s *Store) CameMaps(ctx context.Context, from move.Place, ids []string) (map[int]bool, error) {
	had, err := s.imported(ctx, s.db.Read, things{from, kindMap}, ids)
	came := map[int]bool{}
	for i := range had {
		came[i] = true
	}
	return came, db.Wrap("find imported source maps", err)
}

// NoteMap notes that a source map came.
func (s *Store) NoteMap(ctx context.Context, from move.Place, projectID int64, id string) error {
	return s.inTx(ctx, "note an imported source map", func(t Tx) error {
		return t.noteImported(ctx, things{from, kindMap}, id, projectID, 0, "")
	})
}
