package group

import (
	"fmt"
	"strings"

	"sett/internal/sett/faults"
)

// Part is one input of a key, or what was left out of it, with the rule that decided so.
type Part struct {
	Name  string `json:"name"`
	Value string `json:"value"` // "" if it is left out
	By    string `json:"by"`
}

// PartsOf says how Locate made the grouping of an event: place is what decided about its frame.
func PartsOf(e Event, g faults.Grouping, place string) (parts []Part) {
	say := func(name, value, by string) {
		if value != "" {
			parts = append(parts, Part{name, strings.ReplaceAll(value, "\n", ", "), by})
		}
	}
	say("environment", g.Environment, "every key has it")
	if g.Basis == byFingerprint {
		say("fingerprint", g.Fingerprint, "the client sent it, so nothing else counts")
		return parts
	}
	news, _, _ := newsOf(e.Chain)
	say("class", g.Class, classBy(g.Inside, news.Class))
	say("component", g.Component, "the client sent it")
	say("file", g.File, place)
	say("method", g.Method, methodBy(g, place))
	joined := placeOf(news.App).joined
	switch {
	case g.Line != "":
		say("line", g.Line, "the line of that frame; an event with another line goes on with the error if the code changed in between")
	case g.Basis == byLocation && joined:
		parts = append(parts, Part{"line", "", "left out: a bundler has joined the lines of the file"})
	}
	say("called from", g.Via, "a bundler has made the name of the function, so its caller counts")
	by := e.messageBy(g, joined)
	if g.Message == "" {
		parts = append(parts, Part{"message", "", by})
	}
	say("message", g.Message, by)
	say("codes and names", g.Signs, "what the message has of them; the rest of it may vary")
	say("causes", g.Causes, "what led to it: classes, and codes and names of messages")
	return parts
}

// classBy says why the class of one error of a chain counts. inside has the classes of those that only wrap it, a line each.
func classBy(inside, class string) string {
	if inside == "" {
		return "the error itself"
	}
	all := append(strings.Split(inside, "\n"), strings.TrimSpace(class))
	var outer []string
	for i, wrapper := range all[:len(all)-1] {
		reason := "it repeats the message of its cause"
		switch {
		case hasClass(wrappers, wrapper):
			reason = "table wrappers.txt"
		case isGroup(wrapper):
			reason = "table groups.txt"
		}
		outer = append(outer, fmt.Sprintf("%s only wraps %s (%s)", wrapper, all[i+1], reason))
	}
	return "the cause: " + strings.Join(outer, ", ")
}

func methodBy(g faults.Grouping, place string) string {
	if g.Basis == byMessage {
		return "no frame of the application and no message is known, so the method on top counts"
	}
	return place
}

// messageBy says why the message counts, or does not.
func (e Event) messageBy(g faults.Grouping, joined bool) string {
	rule, ruled := e.Rules.Message(g.Class)
	switch {
	case ruled && g.Message == "":
		return fmt.Sprintf("left out: line %d of the project's rules, “%s”", rule.Line, rule)
	case ruled && g.Basis == byLocation:
		return fmt.Sprintf("line %d of the project's rules, “%s”; without what varies in it", rule.Line, rule)
	case g.Message == "":
		return "left out: there is none"
	case g.Basis == byMessage:
		return "no frame of the application says where it was made; without what varies in it"
	case joined:
		return "a bundler has joined the lines of the file; " + wordsBy(g)
	case IsGeneric(g.Class):
		return "the class " + g.Class + " stands for any error (table generic.txt); " + wordsBy(g)
	default:
		return wordsBy(g)
	}
}

// wordsBy says how much messages of one error have in common.
func wordsBy(g faults.Grouping) string {
	return fmt.Sprintf("an event goes on with the error if its message has %d %% of these words", g.Alike)
}

// ExplainWhy says in a sentence why events with one grouping go on with an error that had another.
func ExplainWhy(why faults.Why, from, to faults.Grouping) string {
	switch why {
	case faults.LineMoved:
		return explainMove(from, to)
	case faults.MessageVaries:
		return fmt.Sprintf("The messages “%s” and “%s” share at least %d %% of their words.", from.Message, to.Message, max(from.Alike, to.Alike))
	case faults.NamesVary:
		return fmt.Sprintf("In %s, the function is called “%s” by one client and “%s” by another.", at(to), from.Method, to.Method)
	case faults.RuleChanged:
		return fmt.Sprintf("The grouping rule of an earlier version of sett knew the error by another key (%s).", at(to))
	case faults.OwnRules:
		return fmt.Sprintf("The project changed its grouping rules, and the error went on (%s).", at(to))
	case faults.Separated:
		return "A user made an error of its own of these events."
	default:
		return ""
	}
}

func explainMove(from, to faults.Grouping) string {
	moved := fmt.Sprintf("Line %s became %s in %s", from.Line, to.Line, to.File)
	switch {
	case from.Line == "":
		moved = fmt.Sprintf("The code moved to line %s in %s", to.Line, to.File)
	case to.File == "":
		moved = fmt.Sprintf("Line %s became %s in %s", from.Line, to.Line, to.Method)
	}
	switch {
	case to.Revision != "":
		return moved + ", in release " + to.Revision + "."
	case from.Source != "" && from.Source == to.Source:
		return moved + ": the text of the line is the same."
	default:
		return moved + ": the error had not occurred for a day."
	}
}

// at is where a grouping is, or what it goes by.
func at(g faults.Grouping) string {
	switch {
	case g.Basis == byFingerprint:
		return "fingerprint “" + g.Fingerprint + "”"
	case g.Basis == byMessage:
		return "message “" + g.Message + "”"
	case g.File != "" && g.Line != "":
		return g.File + ":" + g.Line
	case g.File != "":
		return g.File
	default:
		return g.Method
	}
}

// CompareEvents says in sentences whether two events are one error, and why, if that came later.
func CompareEvents(this, that faults.Grouping) (one bool, sentences []string) {
	if this.Key == that.Key {
		return true, []string{"They are one error: all parts of their keys are the same."}
	}
	known := faults.KnownGrouping{Grouping: this, Here: this.Revision == that.Revision, Late: true}
	if _, why := faults.Continues([]faults.KnownGrouping{known}, that); why != "" {
		return true, []string{"They are one error: the second goes on with the first, although their keys differ.", ExplainWhy(why, this, that)}
	}
	sentences = []string{"They are two errors."}
	for _, l := range Compare(this, that) {
		if !l.Same() {
			sentences = append(sentences, fmt.Sprintf("%s: “%s” and “%s” differ.", l.Name, l.This, l.That))
		}
	}
	if this.Near == that.Near && this.Line != that.Line {
		sentences = append(sentences, "Two lines of one function that fail in one release, or within a day, are two errors.")
	}
	return false, sentences
}
