package ingest

import (
	"sync"

	"sett/internal/sett/accounts"
	"sett/internal/sett/regroup"
)

// groupingRules keeps the rules by which projects correct the grouping of what they report. The zero value is ready. It is safe for concurrent use.
type groupingRules struct {
	mu    sync.RWMutex
	rules map[string]*regroup.Compiled // by the settings, as they are stored
}

// noRules are those of projects without settings.
var noRules = &regroup.Compiled{}

// rulesOf returns the rules of a project.
func (g *groupingRules) rulesOf(p accounts.KeyedProject) *regroup.Compiled {
	if p.Grouping == "" {
		return noRules
	}
	g.mu.RLock()
	rules := g.rules[p.Grouping]
	g.mu.RUnlock()
	if rules != nil {
		return rules
	}
	rules = regroup.SettingsOf(p.Grouping).Compiled()
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.rules) >= mostRules || g.rules == nil {
		g.rules = map[string]*regroup.Compiled{}
	}
	g.rules[p.Grouping] = rules
	return rules
}
