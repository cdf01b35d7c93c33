package fromsentry

import (
	"context"
	"strings"

	"sett/internal/app/movein/remote"
	"sett/internal/sett/move"
)

// mostRules is how many ownership rules of a project are read.
const mostRules = 1000

// Owners returns the ownership rules of a project as lines of a CODEOWNERS file, and those for which there is no such line.
func (s *Source) Owners(ctx context.Context, p move.Project) (lines []string, left []move.Left, err error) {
	var said struct {
		Raw string `json:"raw"`
	}
	_, err = s.c.get(ctx, "ownership", ofProject(s.org, p.Slug, "ownership"), nil, &said)
	if remote.IsMissing(err) || remote.IsOther(err) {
		return nil, nil, nil
	}
	for line := range strings.Lines(move.Text(said.Raw, 1<<20)) {
		line = strings.TrimSpace(line)
		switch rule, ok := ruleOf(line); {
		case line == "" || strings.HasPrefix(line, "#"):
		case len(lines)+len(left) >= mostRules:
			return lines, left, err
		case ok:
			lines = append(lines, rule)
		default:
			left = append(left, move.Left{
				Noun: "ownership rules", Name: p.Slug + ": " + move.Line(line, move.MostName), Why: "sett knows owners of files and of components.", Page: move.OwnersPage,
			})
		}
	}
	return lines, left, err
}

// ruleOf makes a line of a CODEOWNERS file of a rule about a path. Others are of addresses, tags and modules.
func ruleOf(line string) (rule string, ok bool) {
	words := strings.Fields(line)
	if len(words) < 2 || strings.ContainsAny(words[0], `"\`) {
		return "", false
	}
	kind, pattern, _ := strings.Cut(words[0], ":")
	if pattern == "" || kind != "path" && kind != "codeowners" {
		return "", false
	}
	rule = pattern
	for _, who := range words[1:] {
		if team, is := strings.CutPrefix(who, "#"); is {
			who = "@" + team
		}
		rule += " " + who
	}
	return rule, true
}
