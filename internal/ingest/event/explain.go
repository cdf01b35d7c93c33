package event

import (
	"cmp"
	"fmt"
	"slices"

	"sett/internal/event/origin"
	"sett/internal/ingest/group"
	"sett/internal/sett/faults"
	"sett/internal/sett/regroup"
)

// Explanation is how a notice is grouped, and why.
type Explanation struct {
	Grouping faults.Grouping
	Parts    []group.Part // of its key
	Frames   []FrameNote  // of the error that decides; none where no frame counts
}

// FrameNote says of a frame whose code it is.
type FrameNote struct {
	Number  int    `json:"number"` // from 1, the newest call first
	Place   string `json:"place"`
	App     bool   `json:"app"`
	Decides bool   `json:"decides"` // the place of the error is its
	By      string `json:"by"`
}

// Explain says how Parse groups a notice. Where minified frames come from is not looked up. Errors: those of Parse.
func Explain(body []byte, o Options) (*Explanation, error) {
	if err := check(body); err != nil {
		return nil, err
	}
	n := notice{how: reading{rules: o.Rules, explained: true}}
	clean, _, err := n.read(body, nil, o.Scrub)
	if err != nil {
		return nil, err
	}
	e := n.event(clean, o.Project, new(Facets))
	e.hint(o.Hints)
	in := e.forGroup(o.Project.ProjectID)
	x := &Explanation{Grouping: group.Locate(in)}
	place := ""
	if of, frames := n.failure.deciding(in.Chain, x.Grouping); frames != nil {
		x.Frames = explainFrames(frames, o.Rules, group.IsOwnMistake(of.Class, of.Message))
		for i := range x.Frames {
			x.Frames[i].Decides = x.Frames[i].Decides && x.Grouping.Basis == "location" // else the message does
		}
		place = placeBy(x.Frames)
	}
	x.Parts = group.PartsOf(in, x.Grouping, place)
	return x, nil
}

// deciding returns the error of a chain whose place counts, and its frames; none if no place does.
func (f *failure) deciding(chain []group.Error, g faults.Grouping) (of group.Error, frames []frame) {
	news := group.News(chain)
	if g.Fingerprint != "" || news.App == nil && news.Top == nil {
		return of, nil
	}
	at := slices.IndexFunc(chain, func(e group.Error) bool {
		return news.App != nil && e.App == news.App || news.App == nil && e.Top == news.Top
	})
	if at > 0 {
		return chain[at], f.causes[at-1].trace.kept
	}
	return chain[0], f.trace.kept
}

// placeBy says which frame is the place of an error, and why.
func placeBy(notes []FrameNote) string {
	for _, n := range notes {
		if n.Decides {
			return fmt.Sprintf("frame %d: %s", n.Number, n.By)
		}
	}
	return ""
}

// explainFrames says of each frame of a backtrace whose code it is, and which one is the place of the error; own says that a helper made the mistake itself.
func explainFrames(all []frame, rules *regroup.Rules, own bool) []FrameNote {
	var t trace
	said, guessed := t.judge(all, rules)
	origins, doubted := said, t.tally.Doubts()
	if doubted {
		origins = guessed
	}
	best, chosen, helped := pickOf(all, origins)
	if own && helped >= 0 && all[helped].rule != regroup.Helper {
		chosen = helped
	}
	notes := make([]FrameNote, len(all))
	for i, f := range all {
		notes[i] = FrameNote{Number: i + 1, Place: f.place(), App: origins[i].IsApp(best), Decides: i == chosen, By: f.by(rules, origins[i], best, doubted, own)}
	}
	return notes
}

// pickOf returns the best origin of frames, the index of the frame that decides, and that of the first helper before it; -1 for none.
func pickOf(all []frame, origins []origin.Origin) (best origin.Origin, chosen, helped int) {
	var p pick
	chosen, helped = -1, -1
	for i, f := range all {
		before := p
		p.add(origins[i], f)
		switch {
		case p.best > before.best:
			chosen, helped = i, -1
		case p.best > origin.Vendored && before.helper:
			if helped < 0 {
				helped = chosen
			}
			chosen = i
		}
	}
	return p.best, chosen, helped
}

// place is the frame for a reader.
func (f frame) place() string {
	where := cmp.Or(f.file, "(no file)")
	if f.number != "" {
		where += ":" + f.number
	}
	if f.name != "" {
		where += " in " + f.name
	}
	return where
}

// by says what decided whose code a frame is, where the best of its backtrace has an origin, the client is doubted or not, and a helper made the mistake itself or not.
func (f frame) by(rules *regroup.Rules, o, best origin.Origin, doubted, own bool) string {
	rule, ruled := rules.Frame(f.file, f.name)
	ruled = ruled && f.rule == rule.Kind // a frame far below is not compared
	says := ""
	if ruled {
		says = fmt.Sprintf("line %d of the project's rules, “%s”", rule.Line, rule)
	}
	if f.decided() {
		return says
	}
	why := f.said(o, best, doubted)
	switch {
	case !o.IsApp(best):
		return why
	case own && f.isHelper() && !ruled:
		return why + "; it is a check, but the mistake is its own"
	case ruled:
		return why + "; but " + says + ": its caller says more"
	case f.isHelper():
		return why + "; but its name is that of a check (table helpers.txt): its caller says more"
	}
	return why
}

// said is by without the rules of the project.
func (f frame) said(o, best origin.Origin, doubted bool) string {
	switch {
	case !doubted && f.context == "app":
		return "the client marks it as the application's"
	case !doubted && f.context == "all":
		return "the client marks it as a library's"
	case o > origin.Vendored && !o.IsApp(best):
		return "other frames are more certainly the application's"
	case doubted && f.context != "":
		return origin.Why(f.file, f.name) + " (the client marks all frames alike, so its mark does not count)"
	default:
		return origin.Why(f.file, f.name)
	}
}

// mostShown is how many frames a reader is shown.
const mostShown = 30

// Shown returns the first frames, and the one that decides.
func (x *Explanation) Shown() (shown []FrameNote) {
	for i, n := range x.Frames {
		if i < mostShown || n.Decides {
			shown = append(shown, n)
		}
	}
	return shown
}

// Whose is whose code the frame is, in a word.
func (n FrameNote) Whose() string {
	if n.App {
		return "application"
	}
	return "library"
}
