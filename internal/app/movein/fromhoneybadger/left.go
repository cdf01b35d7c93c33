package fromhoneybadger

import (
	"context"

	"sett/internal/sett/move"
)

// Left returns what of an account does not come.
func (*Source) Left(context.Context, []move.Project) ([]move.Left, error) {
	return []move.Left{
		{Noun: "older notices", Why: "Only the newest of each error come. Counts are those of the source."},
		{Noun: "structured events, dashboards, source maps", Why: "They do not come."},
		{Noun: "settings of projects and of people", Why: "The API does not say them.", Page: move.SettingsPage},
	}, nil
}
