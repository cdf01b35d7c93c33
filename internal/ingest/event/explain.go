package event

import (
	"cmp"
	"fmt"
	"strings"

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

// Frame is a frame of a backtrace as its client sent it.
type Frame struct{ File, Method, Line, Context string }

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
	e.Hints = o.Hints
	in := e.forGroup(o.Project.ProjectID)
	x := &Explanation{Grouping: group.Locate(in)}
	place := ""
	if frames := n.failure.deciding(in.Chain, x.Grouping); frames != nil {
		x.Frames = ExplainFrames(frames, o.Rules)
		place = placeBy(x.Frames)
	}
	x.Parts = group.PartsOf(in, x.Grouping, place)
	return x, nil
}

// deciding returns the frames of the error of a chain whose place counts; nil if none does.
func (f *failure) deciding(chain []group.Error, g faults.Grouping) []Frame {
	at := 0
	if g.Inside != "" {
		at = min(1+strings.Count(g.Inside, "\n"), len(chain)-1)
	}
	for ; at > 0 && chain[at].App == nil; at-- {
	}
	if g.Fingerprint != "" || chain[at].App == nil && chain[at].Top == nil {
		return nil
	}
	kept := f.trace.kept
	if at > 0 {
		kept = f.causes[at-1].trace.kept
	}
	var frames []Frame
	for _, one := range kept {
		frames = append(frames, Frame{one.file, one.name, one.number, one.context})
	}
	return frames
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

// ExplainFrames says of each frame of a backtrace whose code it is, and which one is the place of the error.
func ExplainFrames(frames []Frame, rules *regroup.Rules) []FrameNote {
	all := make([]frame, len(frames))
	for i, f := range frames {
		all[i] = frame{file: f.File, method: f.Method, name: f.Method, number: f.Line, context: f.Context}
	}
	var t trace
	said, guessed := t.judge(all, rules)
	origins, doubted := said, t.tally.Doubts()
	if doubted {
		origins = guessed
	}
	best, chosen := pickOf(all, origins)
	notes := make([]FrameNote, len(all))
	for i, f := range all {
		notes[i] = FrameNote{Number: i + 1, Place: f.place(), App: origins[i].IsApp(best), Decides: i == chosen, By: f.by(rules, origins[i], best, doubted)}
	}
	return notes
}

// pickOf returns the best origin of frames, and the index of the frame that decides; -1 for none.
func pickOf(all []frame, origins []origin.Origin) (best origin.Origin, chosen int) {
	var p pick
	chosen = -1
	for i, f := range all {
		before := p
		p.add(origins[i], f)
		if p.best > before.best || p.frame != before.frame && p.best > origin.Vendored {
			chosen = i
		}
	}
	return p.best, chosen
}

// place is the frame for a reader.
func (f frame) place() string {
	where := cmp.Or(f.file, "(no file)")
	if f.number != "" {
		where += ":" + f.number
	}
	if f.method != "" {
		where += " in " + f.method
	}
	return where
}

// by says what decided whose code a frame is, where the best of its backtrace has an origin, and the client is doubted or not.
func (f frame) by(rules *regroup.Rules, o, best origin.Origin, doubted bool) string {
	rule, ruled := rules.Frame(f.file, f.name)
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
		return origin.Why(f.file, f.method) + " (the client marks all frames alike, so its mark does not count)"
	default:
		return origin.Why(f.file, f.method)
	}
}

// Whose is whose code the frame is, in a word.
func (n FrameNote) Whose() string {
	if n.App {
		return "application"
	}
	return "library"
}
