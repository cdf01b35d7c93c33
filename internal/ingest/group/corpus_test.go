package group_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// situation is a line of the corpus: events of which those in one group are one error, as a developer sees it, and those of two groups
// are two. testdata/corpus/README.md describes its fields.
type situation struct {
	ID        string
	Ecosystem string
	Class     string // the kind of mistake that it guards against
	Reason    string
	Made      string              // "real": a program that ran; "hand": from a known format
	Base      json.RawMessage     // what the events have in common
	Groups    [][]json.RawMessage // an event each, without what is in Base

	all [][]*failure // the events
}

// failure is an event of the corpus, which belongs to no protocol.
type failure struct {
	Class, Message string  // Class is "" for a message that was logged
	Template       string  // of Message, before values were put in
	Causes         []cause // nearest first
	Frames         []frame // newest call first

	Platform, SDK  string // as Sentry's clients call them
	Release, Route string
	Root           string // the directory of the application
	Trace          string // as the runtime prints it
}

type cause struct {
	Class, Message string
	Frames         []frame
}

type frame struct {
	File, Path string // Path is the absolute one, where it is another
	Func       string // "" if the client does not know
	Module     string
	Line, Col  int
	Source     string // the text of the line, and that of the line above before it, with a line break between
	App        *bool  // the client's mark; nil for none
}

// pair is two events of a situation that must come together, or must stay apart.
type pair struct {
	of       *situation
	together bool
	a, b     *failure
}

// mostPairs is how many pairs of each kind one situation counts for, so that no large one outweighs the others.
const mostPairs = 6

// pairs returns neighbours within a group, which are together, and the first and second events of any two groups, which are apart if they
// resemble each other.
func (s *situation) pairs(groups [][]*failure) (all []pair) {
	for _, events := range groups {
		for i := range events[1:] {
			all = append(all, pair{s, true, events[i], events[i+1]})
		}
	}
	all = all[:min(len(all), mostPairs)]
	apart := len(all) + mostPairs
	for nth := range 2 {
		for i, these := range groups {
			for _, those := range groups[i+1:] {
				if n := min(len(these), len(those)); nth < n && len(all) < apart && these[nth].resembles(those[len(those)-1-nth]) {
					all = append(all, pair{s, false, these[nth], those[len(those)-1-nth]})
				}
			}
		}
	}
	return all
}

// resembles reports whether a careless rule could take two errors for one: they share their class, their message or the function on top.
func (f *failure) resembles(other *failure) bool {
	return f.Class == other.Class || f.Message == other.Message || f.top() == other.top()
}

func (f *failure) top() string {
	if len(f.Frames) == 0 {
		return ""
	}
	return f.Frames[0].Func
}

// readCorpus returns the situations of the corpus and their pairs, in the order of its files.
func readCorpus(t testing.TB) (situations []*situation, pairs []pair) {
	t.Helper()
	files, err := filepath.Glob("testdata/corpus/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("read the corpus: %v, %d files", err, len(files))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("read the corpus: %v", err)
		}
		for line := range bytes.Lines(text) {
			s := new(situation)
			strict(t, line, s)
			situations = append(situations, s)
			s.all = s.events(t)
			pairs = append(pairs, s.pairs(s.all)...)
		}
	}
	return situations, pairs
}

// events puts what the events have in common into each of them.
func (s *situation) events(t testing.TB) (groups [][]*failure) {
	for _, group := range s.Groups {
		var events []*failure
		for _, own := range group {
			members := map[string]json.RawMessage{}
			for _, part := range []json.RawMessage{s.Base, own} {
				if err := json.Unmarshal([]byte(cmp.Or(string(part), "{}")), &members); err != nil {
					t.Fatalf("%s: %v", s.ID, err)
				}
			}
			whole, err := json.Marshal(members)
			if err != nil {
				t.Fatalf("%s: %v", s.ID, err)
			}
			e := new(failure)
			strict(t, whole, e)
			events = append(events, e)
		}
		groups = append(groups, events)
	}
	return groups
}

// strict reads JSON without members that are not known.
func strict(t testing.TB, text []byte, value any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(value); err != nil {
		t.Fatalf("%.100s: %v", text, err)
	}
}

// says is what of an event a rule can go by: all but where it came from.
func (f failure) says(t testing.TB) string {
	f.Release, f.Root, f.Trace = "", "", ""
	return string(encode(t, f))
}

// classes are the kinds of mistakes that situations guard against.
var classes = []string{
	"build id in file name", "bundler path", "engine function name", "line shift", "generated name", "ids in message", "codes in message", "words in message",
	"wrapper and cause", "members of a group", "helper on top", "release path", "async frames", "addresses", "empty title", "two places", "compiled template",
	"other version of runtime", "recursion depth",
}

func TestCorpusIsWhatItMustBe(t *testing.T) {
	t.Parallel()
	situations, pairs := readCorpus(t)
	ids := map[string]bool{}
	for _, s := range situations {
		switch {
		case ids[s.ID] || s.ID == "" || s.Ecosystem == "" || s.Reason == "":
			t.Errorf("%q: the id is used twice, or something is missing", s.ID)
		case !slices.Contains(classes, s.Class):
			t.Errorf("%s: the class %q is not known", s.ID, s.Class)
		case s.Made != "real" && s.Made != "hand":
			t.Errorf("%s: made is %q", s.ID, s.Made)
		}
		ids[s.ID] = true
	}
	byClass, ecosystems, apart := map[string]int{}, map[string]int{}, 0
	for _, p := range pairs {
		if p.a.says(t) == p.b.says(t) {
			t.Errorf("%s: two events say the same, so nothing is tried by whether they are together: %s", p.of.ID, p.a.says(t))
		}
		byClass[p.of.Class]++
		ecosystems[p.of.Ecosystem]++
		if !p.together {
			apart++
		}
	}
	if len(pairs) < 600 || apart*10 < 4*len(pairs) || len(ecosystems) < 20 {
		t.Errorf("%d pairs, %d of them apart, of %d ecosystems", len(pairs), apart, len(ecosystems))
	}
	for _, class := range classes {
		if n := byClass[class]; n < 8 || n*100 > 15*len(pairs) {
			t.Errorf("class %s has %d of %d pairs", class, n, len(pairs))
		}
	}
}
