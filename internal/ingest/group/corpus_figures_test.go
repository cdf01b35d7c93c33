package group_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var (
	update = flag.Bool("update", false, "write the figures of the corpus anew; none may fall")
	wrong  = flag.String("wrong", "", "list the pairs of this class or ecosystem that rule 2 gets wrong, or \"all\"")
	dump   = flag.String("dump", "", "write the events of the corpus to this file, for other products")
)

// share is how many of some pairs came out right.
type share struct{ Right, Of int }

func (s share) String() string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%5.1f %% (%d of %d)", 100*float64(s.Right)/float64(s.Of), s.Right, s.Of)
}

// below reports whether s is a smaller share than other.
func (s share) below(other share) bool { return s.Right*other.Of < other.Right*s.Of }

// figures is what a rule does with some pairs: Apart is its precision, Together its recall.
type figures struct{ Apart, Together share }

func (f *figures) add(together, right bool) {
	s := &f.Apart
	if together {
		s = &f.Together
	}
	s.Of++
	if right {
		s.Right++
	}
}

// tables are the figures by what they are about.
type tables struct{ All, Class, Ecosystem map[string]*figures }

func (t *tables) add(way string, p pair, right bool) {
	for _, row := range []struct {
		table map[string]*figures
		name  string
	}{{t.All, way}, {t.All, "all"}, {t.Class, p.of.Class}, {t.Ecosystem, p.of.Ecosystem}} {
		if row.table[row.name] == nil {
			row.table[row.name] = new(figures)
		}
		row.table[row.name].add(p.together, right)
	}
}

// measure sends every pair in every way that can carry both of its events, and groups them by a rule.
func measure(t *testing.T, pairs []pair, r rule) tables {
	all := tables{map[string]*figures{}, map[string]*figures{}, map[string]*figures{}}
	for _, w := range ways {
		errors := map[*situation]map[*failure]int{}
		for _, p := range pairs {
			if errors[p.of] == nil {
				errors[p.of] = w.errorsOf(t, p.of, r)
			}
			a, b := errors[p.of][p.a], errors[p.of][p.b]
			if a == 0 || b == 0 {
				continue
			}
			right := (a == b) == p.together
			all.add(w.name, p, right)
			if !right && r == second && slices.Contains([]string{p.of.Class, p.of.Ecosystem, "all"}, *wrong) {
				t.Logf("%s, %s: together should be %v: %s\n%+v\n%+v", p.of.ID, w.name, p.together, p.of.Reason, w.key(t, p.a).second, w.key(t, p.b).second)
			}
		}
	}
	return all
}

// printTable prints what both rules do.
func printTable(name string, before, now map[string]*figures) {
	fmt.Printf("\n%-26s %-50s %s\n", "", "kept apart (precision)", "kept together (recall)")
	fmt.Printf("%-26s %-24s %-25s %-24s %s\n", name, "rule 1", "rule 2", "rule 1", "rule 2")
	for _, key := range slices.Sorted(maps.Keys(now)) {
		fmt.Printf("%-26s %-24v %-25v %-24v %v\n", key, before[key].Apart, now[key].Apart, before[key].Together, now[key].Together)
	}
}

const figuresFile = "testdata/corpus/figures.json"

// No class and no way of the corpus may come out worse than the figures beside it say. `make grouping` prints them.
func TestCorpusIsGroupedAsWellAsBefore(t *testing.T) {
	t.Parallel()
	_, pairs := readCorpus(t)
	now := measure(t, pairs, second)
	if testing.Verbose() {
		former := measure(t, pairs, first)
		printTable("ecosystem", former.Ecosystem, now.Ecosystem)
		printTable("class", former.Class, now.Class)
		printTable("way", former.All, now.All)
	}
	var before tables
	text, err := os.ReadFile(figuresFile)
	if err == nil {
		err = json.Unmarshal(text, &before)
	}
	if err != nil && !*update {
		t.Fatal(err)
	}
	if fell := append(worse(before.All, now.All), worse(before.Class, now.Class)...); len(fell) > 0 {
		t.Fatalf("The rule groups worse than before:\n%s\nmake grouping FLAGS='-wrong=\"line shift\"' lists the wrong pairs of a class. If it is meant, or the corpus grew, "+
			"delete the lines from %s by hand, say why, and run the test with -update.", strings.Join(fell, "\n"), figuresFile)
	}
	if *update {
		if err := os.WriteFile(figuresFile, now.compact(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// worse lists what came out worse than before.
func worse(before, now map[string]*figures) (lines []string) {
	for _, key := range slices.Sorted(maps.Keys(before)) {
		was, is := before[key], now[key]
		if is == nil {
			lines = append(lines, key+" is gone")
			continue
		}
		if is.Apart.below(was.Apart) {
			lines = append(lines, fmt.Sprintf("%s: kept apart %v, was %v", key, is.Apart, was.Apart))
		}
		if is.Together.below(was.Together) {
			lines = append(lines, fmt.Sprintf("%s: kept together %v, was %v", key, is.Together, was.Together))
		}
	}
	return lines
}

// compact is JSON with a line for each row.
func (t *tables) compact() []byte {
	var b bytes.Buffer
	b.WriteString("{\n")
	for i, table := range []struct {
		name string
		rows map[string]*figures
	}{{"All", t.All}, {"Class", t.Class}} {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "  %q: {\n", table.name)
		keys := slices.Sorted(maps.Keys(table.rows))
		for i, key := range keys {
			row, _ := json.Marshal(table.rows[key])
			fmt.Fprintf(&b, "    %q: %s%s\n", key, row, strings.Repeat(",", min(1, len(keys)-1-i)))
		}
		b.WriteString("  }")
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

// The corpus as other products' rules are run on it: the events as Sentry's clients send them, sett's errors by both rules, and the pairs. Each pair names two of
// its events. -dump says where it is written for testdata/corpus/make/compare.py.
func TestCorpusForOthers(t *testing.T) {
	t.Parallel()
	file := cmp.Or(*dump, filepath.Join(t.TempDir(), "corpus.json"))
	_, pairs := readCorpus(t)
	if err := os.WriteFile(file, forOthers(t, pairs), 0o644); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var written struct {
		Events []json.RawMessage
		First  []string `json:"sett 1"`
		Second []string `json:"sett 2"`
		Pairs  []struct{ A, B int }
	}
	err = json.Unmarshal(text, &written)
	if n := len(written.Events); err != nil || len(written.Pairs) != len(pairs) || len(written.First) != n || len(written.Second) != n {
		t.Fatalf("%d events, %d and %d keys, and %d pairs were written of %d pairs: %v", n, len(written.First), len(written.Second), len(written.Pairs), len(pairs), err)
	}
	for _, p := range written.Pairs {
		if p.A == p.B || max(p.A, p.B) >= len(written.Events) {
			t.Errorf("a pair is of the events %d and %d", p.A, p.B)
		}
	}
}

func forOthers(t *testing.T, pairs []pair) []byte {
	numbers, events, couples := map[*failure]int{}, []object{}, []object{}
	keys := map[rule][]string{first: {}, second: {}}
	errors := map[*situation]map[rule]map[*failure]int{}
	for _, p := range pairs {
		if errors[p.of] == nil {
			errors[p.of] = map[rule]map[*failure]int{first: envelopes.errorsOf(t, p.of, first), second: envelopes.errorsOf(t, p.of, second)}
		}
		for _, f := range []*failure{p.a, p.b} {
			if _, known := numbers[f]; known {
				continue
			}
			numbers[f] = len(numbers)
			events = append(events, f.sentry())
			for r := range keys {
				keys[r] = append(keys[r], fmt.Sprintf("%s %d", p.of.ID, errors[p.of][r][f]))
			}
		}
		couples = append(couples, object{"a": numbers[p.a], "b": numbers[p.b], "together": p.together, "class": p.of.Class, "ecosystem": p.of.Ecosystem})
	}
	return encode(t, object{"events": events, "sett 1": keys[first], "sett 2": keys[second], "pairs": couples})
}
