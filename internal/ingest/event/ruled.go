package event

import (
	"sett/internal/event/origin"
	"sett/internal/ingest/group"
	"sett/internal/sett/faults"
	"sett/internal/sett/regroup"
)

// mostRuled is how many frames of a backtrace the rules of a project are compared with, the newest calls first.
const mostRuled = 100

// addByRules takes in all frames of a backtrace by the rules of its project, which win over what the client says and over tables. A frame that a rule calls the
// application's counts as the best of the others do, so that they still count beside it.
func (t *trace) addByRules(all []frame, rules *regroup.Rules) {
	said, guessed := t.judge(all, rules)
	for i, f := range all {
		if f.file != "" || f.method != "" {
			t.put(f, said[i], guessed[i])
		}
	}
}

// judge returns the origins of all frames of a backtrace, and notes which rules they meet.
func (t *trace) judge(all []frame, rules *regroup.Rules) (said, guessed []origin.Origin) {
	said, guessed = make([]origin.Origin, len(all)), make([]origin.Origin, len(all))
	bestSaid, bestGuessed := origin.Unmarked, origin.Unmarked
	for i := range all {
		f := &all[i]
		if i < mostRuled {
			rule, _ := rules.Frame(f.file, f.name)
			f.rule = rule.Kind
		}
		if f.file == "" && f.method == "" {
			continue
		}
		if said[i], guessed[i] = t.tally.Add(f.context, f.file, f.name); f.decided() {
			said[i], guessed[i] = origin.Vendored, origin.Vendored
		}
		bestSaid, bestGuessed = max(bestSaid, said[i]), max(bestGuessed, guessed[i])
	}
	for i, f := range all {
		if f.rule == regroup.App {
			said[i], guessed[i] = bestSaid, bestGuessed
		}
	}
	return said, guessed
}

// decided reports whether a rule says whose code the frame is.
func (f frame) decided() bool { return f.rule == regroup.App || f.rule == regroup.Library }

// isHelper reports whether the frame's caller says more: by a rule, or by the name of the function.
func (f frame) isHelper() bool {
	return f.rule == regroup.Helper || f.rule != regroup.App && group.IsHelper(f.method)
}

// regroup notes in a report by which key its error was known before the project changed its rules, if that was another one.
func (n *notice) regroup(body []byte, o Options, f *Facets, report *faults.Report) {
	if o.ChangedAt.IsZero() {
		return
	}
	original := o.Original
	*n = notice{how: reading{minified: original != nil, rules: o.Before}}
	if _, _, err := n.read(body, nil, nil); err != nil {
		return // it was read a moment ago
	}
	if original != nil {
		n.unminify(original)
	}
	e := n.event(body, o.Project, f)
	e.hint(o.Hints)
	if before := e.place(o.Project.ProjectID); before.Key != report.Grouping.Key {
		report.Former, report.Regrouped = before, o.ChangedAt
	}
}
