package fromhoneybadger

import (
	"context"

	"sett/internal/sett/move"
)

// Owners returns none: the API does not say them.
func (*Source) Owners(context.Context, move.Project) ([]string, []move.Left, error) {
	return nil, nil, nil
}
