package frombugsink

import (
	"context"

	"sett/internal/sett"
	"sett/internal/sett/move"
)

// Builds returns nothing: the API does not show source maps.
func (*Source) Builds(context.Context, move.Project) ([]move.Build, []move.Left, error) {
	return nil, nil, nil
}

// File finds none.
func (*Source) File(_ context.Context, _ move.Project, _ move.Build, f move.File, _ int) ([]byte, error) {
	return nil, sett.Errorf(sett.NotFound, "There is no file %s.", f.ID)
}
