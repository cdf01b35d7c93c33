package group

import (
	"fmt"
	"strings"

	"sett/internal/sett/faults"
	"sett/internal/sett/regroup"
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
	news := News(e.Chain)
	say("class", g.Class, classBy(g, news))
	say("component", g.Component, "the client names it")
	say("file", g.File, place)
	say("method", g.Method, methodBy(g, place))
	say("line", g.Line, "the line of that frame; an event from another line goes on with the error if the code changed in between")
	if g.Basis == byLocation && g.Line == "" && placeOf(news.App).joined {
		parts = append(parts, Part{"line", "", "left out: a bundler has joined the lines of the file"})
	}
	say("source", g.Source, "the text of that line, behind that of the line above")
	say("called from", g.Via, "a bundler has made the name of the function, so its caller counts too")
	by := e.messageBy(g)
	if g.Message == "" {
		parts = append(parts, Part{"message", "", by})
	}
	say("message", g.Message, by)
	say("codes and names", g.Signs, e.signsBy(g))
	say("causes", g.Causes, "the classes of what led to it, with their codes and names")
	return parts
}

// News returns the error of a chain that decides.
func News(chain []Error) Error {
	news, _, _ := newsOf(chain)
	return news
}

// classBy says why the class of one error of a chain counts.
func classBy(g faults.Grouping, news Error) string {
	var reasons []string
	for class := range strings.SplitSeq(g.Inside, "\n") {
		switch {
		case g.Inside == "":
		case isGroup(class):
			reasons = append(reasons, class+" holds several errors (table groups.txt)")
		case hasClass(wrappers, class):
			reasons = append(reasons, class+" only wraps another error (table wrappers.txt)")
		default:
			reasons = append(reasons, class+" repeats the message of its cause")
		}
	}
	by := "the error itself"
	if len(reasons) > 0 {
		by = "the cause: " + strings.Join(reasons, ", ")
	}
	if m, _ := spoken.find(plainName(className(news.Class)), withoutDetails(news.Message)); m != nil {
		by += "; in the words that all engines share (table spoken.txt)"
	}
	return by
}

func methodBy(g faults.Grouping, place string) string {
	if g.Basis == byMessage {
		return "no frame of the application and no message is known, so the method on top counts"
	}
	return place
}

// messageBy says why the message counts, or does not.
func (e Event) messageBy(g faults.Grouping) string {
	rule, ruled := e.Rules.Message(g.Class)
	switch {
	case ruled && g.Message == "":
		return ruleSays(rule) + ": left out"
	case g.Message == "":
		return "left out: there is none"
	case g.Basis == byMessage:
		return "no frame of the application is known; without what varies in it"
	case ruled:
		return ruleSays(rule) + "; without what varies in it"
	default:
		return "without what varies in it; an event with another message goes on with the error if the messages are alike"
	}
}

// signsBy says where codes and names come from.
func (e Event) signsBy(g faults.Grouping) string {
	if rule, ok := e.Rules.Message(g.Class); ok {
		return ruleSays(rule) + ": all of the message counts"
	}
	return "what the message has of them; errors that differ in them are apart"
}

func ruleSays(rule regroup.Rule) string {
	return fmt.Sprintf("line %d of the project's rules, “%s”", rule.Line, rule)
}

// ExplainWhy says in a sentence why events with one grouping go on with an error that had another.
func ExplainWhy(why faults.Why, from, to faults.Grouping) string {
	switch why {
	case faults.LineMoved:
		return explainMove(from, to)
	case faults.MessageVaries:
		return fmt.Sprintf("The messages “%s” and “%s” are alike.", from.Message, to.Message)
	case faults.NamesVary:
		return fmt.Sprintf("In %s, the function %s for one client and %s for another.", at(to), called(from.Method), called(to.Method))
	case faults.RuleChanged:
		return fmt.Sprintf("The grouping rule of an earlier version of sett knew the error by another key (%s).", at(to))
	case faults.OwnRules:
		return fmt.Sprintf("The project changed its grouping rules, and the error went on (%s).", at(to))
	case faults.Imported:
		return fmt.Sprintf("The error came from another error tracker, which has an event like this in it (%s).", at(to))
	case faults.Separated:
		return "A user made an error of its own of these events."
	default:
		return ""
	}
}

func called(name string) string {
	if name == "" {
		return "has no name"
	}
	return "is called “" + name + "”"
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
