package ingest

import (
	"sett/internal/sett/accounts"
	"sett/internal/sett/regroup"
)

// noRules are the grouping rules of projects without settings.
var noRules = &regroup.Compiled{}

// rulesOf returns the rules by which a project corrects the grouping of what it reports.
func (in *Ingest) rulesOf(p accounts.KeyedProject) *regroup.Compiled {
	if p.Grouping == "" {
		return noRules
	}
	return in.grouping.of(p.Grouping, regroup.Stored)
}
