package movein

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/move"
	"sett/internal/sett/owner"
)

// owners brings the ownership rules of a project that has none. Lines that sett cannot read are left, by name.
func (r *run) owners(ctx context.Context, p move.Project, projectID int64) error {
	lines, left, err := r.Source.Owners(ctx, p)
	if err != nil {
		return fmt.Errorf("read ownership rules of %s: %w", p.Slug, err)
	}
	r.report.Leave(left...)
	rules := int64(0)
	lines = slices.DeleteFunc(lines, func(line string) bool {
		var problems sett.Problems
		rules += int64(owner.Parse(&problems, "rules", line).Size())
		err := problems.Refusal()
		if err != nil {
			r.report.Leave(move.Left{Noun: rulesNoun, Name: p.Slug + ": " + line, Why: "sett cannot read it.", Page: move.OwnersPage})
		}
		return err != nil
	})
	text := strings.Join(lines, "\n")
	if rules == 0 || len(text) > owner.LongestText || rules > owner.MostRules {
		return nil
	}
	made := true
	if !r.DryRun {
		if made, err = r.Moves.Owners(ctx, r.from, projectID, p, owner.Settings{Rules: text}); err != nil {
			return err
		}
	}
	r.came(rulesNoun, rules, rules*flag(made))
	return nil
}
