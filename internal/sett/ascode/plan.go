package ascode

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sett/internal/sett/accounts"
)

// Verb is what a step does.
type Verb string

// The verbs.
const (
	Create Verb = "create"
	Change Verb = "change"
	Delete Verb = "delete"
)

// Step is one request that brings a server nearer to the files.
type Step struct {
	Verb    Verb
	Thing   *Thing // as files say it; of Delete, as the server has it
	Changes []Difference

	fields []string // that a body has
	resets []Field
}

// Difference is a value that changes.
type Difference struct {
	Path     string
	Old, New string // for people; Old is "" of a thing that is created
}

// Plan is what makes a server agree with files.
type Plan struct {
	Steps []Step
	Gone  []*Thing // that files made and do not have any more, as the server has them; the innermost first
	Same  []*Thing // that need no step, as files say them, with their ids
	names *Names
}

// Compare finds the steps from what a server has to what files say. It sets the ids of the things of files, and the fields of the server's.
// Problems are changes that cannot be made.
func Compare(wanted, current *Thing, state State, now time.Time) (*Plan, []Problem) {
	Call(current, state)
	taken := map[*Thing]bool{}
	pairs := map[*Thing]*Thing{}
	match(wanted, current, state, taken, pairs)
	for w, c := range pairs {
		c.Key = w.Key
	}
	freeKeys(current, taken)
	Fill(current)
	p := &Plan{names: NewNames(current)}
	var problems []Problem
	for _, w := range wanted.All() {
		if over(w, now) {
			continue
		}
		step, wrong := p.step(w, pairs[w], state, now)
		problems = append(problems, wrong...)
		switch {
		case step != nil:
			p.Steps = append(p.Steps, *step)
		default:
			p.Same = append(p.Same, w)
		}
	}
	p.findGone(wanted, current, state)
	return p, problems
}

// match finds for each thing of files that of the server: the one that it made, by whatever name, or else the one with its name.
func match(wanted, current *Thing, state State, taken map[*Thing]bool, pairs map[*Thing]*Thing) {
	if current == nil {
		return
	}
	pair := func(w, c *Thing) {
		pairs[w], taken[c] = c, true
		w.ID, w.raw = c.ID, c.raw
	}
	for _, w := range wanted.Things {
		for _, c := range current.Things {
			if c.Kind == w.Kind && !taken[c] && (c.Kind.Single || c.ID == state.Things[w.Path()].ID) {
				pair(w, c)
				break
			}
		}
	}
	reserved := map[string]bool{} // what files made is not adopted under another key
	for path, b := range state.Things {
		if parts := strings.Split(path, "/"); b.ID != "" && len(parts) > 1 {
			reserved[parts[len(parts)-2]+":"+b.ID] = true
		}
	}
	for _, w := range wanted.Things {
		if pairs[w] != nil || w.Name() == "" {
			continue
		}
		for _, c := range current.Things {
			if c.Kind == w.Kind && !taken[c] && !reserved[c.Kind.Name+":"+c.ID] && c.RawName() == w.Name() {
				pair(w, c)
				break
			}
		}
	}
	for _, w := range wanted.Things {
		match(w, pairs[w], state, taken, pairs)
	}
}

// freeKeys gives another key to things of the server whose key a thing of the files has.
func freeKeys(parent *Thing, taken map[*Thing]bool) {
	used := map[string]bool{}
	for _, c := range parent.Things {
		if taken[c] {
			used[c.Kind.Name+"/"+c.Key] = true
		}
	}
	for _, c := range parent.Things {
		if !taken[c] {
			c.Key = freeKey(used, c.Kind.Name, c.Key)
		}
		freeKeys(c, taken)
	}
}

// step returns what is to be done about a thing; nil for nothing.
func (p *Plan) step(w, c *Thing, state State, now time.Time) (*Step, []Problem) {
	if other, ok := state.Things[w.Path()]; ok && other.Set != state.Set && len(w.Fields) > 0 && c != nil {
		return nil, []Problem{{w.Place, fmt.Sprintf("%s is set by %s; remove it from one of the two, or apply both together", w.Called(), filesOf(other.Set))}}
	}
	switch {
	case c == nil && w.Kind.Single:
		c = &Thing{}
	case c == nil:
		return w.creation()
	}
	return p.change(w, c, state, now)
}

// change returns the step that changes a thing to what files say of it; nil for nothing.
func (p *Plan) change(w, c *Thing, state State, now time.Time) (*Step, []Problem) {
	step, problems := &Step{Verb: Change, Thing: w}, []Problem(nil)
	bound := state.Things[w.Path()]
	for _, f := range w.Kind.Fields {
		old := c.Fields[f.Name]
		v, set := w.Fields[f.Name]
		switch {
		case f.Name == "starts_at" && past(v, now) && past(old, now), !set && !slices.Contains(bound.Fields, f.Name):
			continue
		case !set && old != nil && !f.Fixed:
			step.Changes = append(step.Changes, Difference{f.Name, shownOld(f, old), "its default"})
			step.resets = append(step.resets, f)
			continue
		case !set:
			continue
		}
		changed := differences(f, f.Name, old, v, bound, state.Salt)
		if len(changed) > 0 && f.Fixed {
			problems = append(problems, Problem{w.placeOf(f.Name), fmt.Sprintf("%s of %s cannot change from %s; give it another key, so that a new one is made", f.Name, w.Called(), Shown(old))})
		}
		if len(changed) > 0 {
			step.fields = append(step.fields, f.Name)
			step.Changes = append(step.Changes, changed...)
		}
	}
	if len(step.Changes) == 0 {
		return nil, problems
	}
	return step, problems
}

// creation returns the step that creates a thing.
func (t *Thing) creation() (*Step, []Problem) {
	if problems := t.missing(); len(problems) > 0 {
		return nil, problems
	}
	step := &Step{Verb: Create, Thing: t}
	for _, f := range t.Kind.Fields {
		if v, set := t.Fields[f.Name]; set {
			step.Changes = append(step.Changes, Difference{f.Name, "", Shown(v)})
			step.fields = append(step.fields, f.Name)
		}
	}
	return step, nil
}

// filesOf names the files of a set.
func filesOf(set string) string {
	if set == "" {
		return "files without --set"
	}
	return "files of --set " + set
}

// missing returns what a thing needs before it can be created.
func (t *Thing) missing() (problems []Problem) {
	for _, f := range t.Kind.Fields {
		if _, set := t.Fields[f.Name]; !set && f.Required {
			problems = append(problems, Problem{t.Place, fmt.Sprintf("%s has no %s; add %s: %s", t.Called(), f.Name, f.Name, f.sample())})
		}
	}
	return problems
}

func shownOld(f Field, v any) string {
	if f.Secret {
		return "(secret)"
	}
	return Shown(v)
}

// differences compares a value of the server with one of the files. Of a mapping, only what the files say counts.
func differences(f Field, path string, old, v any, bound accounts.ConfiguredThing, salt string) (found []Difference) {
	if asMap, ok := v.(map[string]any); ok {
		have, _ := old.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(asMap)) {
			found = append(found, differences(f, path+"."+name, have[name], asMap[name], bound, salt)...)
		}
		if len(asMap) == 0 && len(have) == 0 || have != nil {
			return found
		}
	}
	if asList, ok := v.([]any); ok {
		if f.Type == keys {
			asList = inOrder(asList)
		}
		have, _ := old.([]any)
		if len(asList) != len(have) {
			return []Difference{{path, orDefault(f, old), Shown(v)}}
		}
		for i, item := range asList {
			found = append(found, differences(f, fmt.Sprintf("%s.%d", path, i), have[i], item, bound, salt)...)
		}
		return found
	}
	_, isMap := v.(map[string]any)
	switch {
	case isMap:
		return found
	case isMasked(old):
		value, _ := plain(v).(string)
		if bound.Secrets[path] == fingerprint(salt, path, value) {
			return nil
		}
		return []Difference{{path, "(secret)", secretly(bound.Secrets[path] == "")}}
	case plain(v) == old, f.isDefault(plain(v)) && old == nil:
		return nil
	}
	return []Difference{{path, orDefault(f, old), Shown(v)}}
}

// secretly says of a secret that it changes.
func secretly(first bool) string {
	if first {
		return "(the secret of the files; it cannot be compared yet)"
	}
	return "(another secret)"
}

// orDefault shows an old value; what is not set has its default.
func orDefault(f Field, old any) string {
	if old == nil && f.Default != nil && f.Default != (always{}) {
		return Shown(f.Default)
	}
	return Shown(old)
}

// findGone finds what the files made and do not have any more. What is in a thing that is gone goes with it.
func (p *Plan) findGone(wanted, current *Thing, state State) {
	have := map[string]bool{}
	for _, w := range wanted.All() {
		have[w.Path()] = true
	}
	for _, c := range current.All() {
		if b, made := state.Things[c.Path()]; made && b.Set == state.Set && !have[c.Path()] && !c.Kind.Single && b.ID == c.ID && !p.goes(c.Parent) {
			p.Gone = append(p.Gone, c)
		}
	}
	slices.Reverse(p.Gone)
}

func (p *Plan) goes(t *Thing) bool {
	return t != nil && (slices.Contains(p.Gone, t) || p.goes(t.Parent))
}

// Prune adds the deletion of what is gone to the steps: of projects only if they are to go too, and otherwise of nothing that is in them.
func (p *Plan) Prune(projects bool) {
	for _, c := range p.Gone {
		if c.Kind.Name != "projects" || projects {
			p.Steps = append(p.Steps, Step{Verb: Delete, Thing: c})
		}
	}
}

// Body returns the body of the request of a step.
func (p *Plan) Body(s Step) map[string]any {
	fields := map[string]any{}
	for _, f := range s.Thing.Kind.Fields {
		v, set := s.Thing.Fields[f.Name]
		if set && (s.Thing.Kind.Whole || slices.Contains(s.fields, f.Name)) {
			fields[f.inAPI()] = f.body(v, s.Thing, p.names)
		}
	}
	for _, f := range s.resets {
		fields[f.inAPI()] = f.body(f.reset(), s.Thing, p.names)
	}
	if s.Verb == Create && fields["cron_schedule"] != nil {
		fields["schedule_type"] = "cron"
	}
	return map[string]any{s.Thing.Kind.Member: fields}
}

// Done notes the thing that a step made, as the API shows it, for those that name it.
func (p *Plan) Done(s Step, made map[string]any) {
	s.Thing.ID = idOf(made["id"])
	p.names.Add(s.Thing.Kind, s.Thing.Path(), s.Thing.ID)
}

// Failed says where the thing is whose step failed.
func Failed(s Step, err error) error {
	if s.Thing.Place == (Place{}) {
		return fmt.Errorf("%s: %w", s.Thing.Called(), err)
	}
	return fmt.Errorf("%s: %s: %w", s.Thing.Place, s.Thing.Called(), err)
}

// String shows the steps, and how many there are, for people.
func (p *Plan) String() string {
	var b strings.Builder
	count := map[Verb]int{}
	for _, s := range p.Steps {
		count[s.Verb]++
		b.WriteString(map[Verb]string{Create: "+ ", Change: "~ ", Delete: "- "}[s.Verb] + s.Thing.Called())
		if name := s.Thing.Name(); name != "" && name != s.Thing.Key {
			b.WriteString(" (" + name + ")")
		}
		b.WriteString("\n")
		for _, d := range s.Changes {
			if s.Verb == Create {
				fmt.Fprintf(&b, "    %s: %s\n", d.Path, d.New)
				continue
			}
			fmt.Fprintf(&b, "    %s: %s → %s\n", d.Path, d.Old, d.New)
		}
	}
	if len(p.Steps) == 0 {
		return "Nothing to do: the server agrees with the files.\n"
	}
	fmt.Fprintf(&b, "%d to create, %d to change, %d to delete.\n", count[Create], count[Change], count[Delete])
	return b.String()
}
