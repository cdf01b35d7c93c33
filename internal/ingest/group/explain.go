package group

import (
	"fmt"
	"strings"

	"sett/internal/sett/faults"
)

// Explain says in plain sentences why the notices of a fault with this grouping are together: what decided, then each
// input that they share, then the version of the rule.
func Explain(g faults.Grouping) []string {
	sentences := []string{reason(g)}
	say := func(format, value string) {
		if value != "" {
			sentences = append(sentences, fmt.Sprintf(format, value))
		}
	}
	say("They come from the environment %s.", g.Environment)
	say("Their fingerprint is “%s”.", g.Fingerprint)
	say("Their class is %s.", g.Class)
	say("Their component is %s.", g.Component)
	say("They %s.", location(g))
	if g.Rule < Second || g.Basis == byMessage {
		say("Without numbers, ids, addresses, times and quoted text, their message is “%s”.", g.Message)
	} else {
		say("Messages of the same place that share enough words with “%s” belong to them.", g.Message)
	}
	if g.Rule < Second {
		return append(sentences, fmt.Sprintf("They were grouped by version %d of the grouping rule.", g.Rule))
	}
	say("The function was called from %s.", g.Via)
	say("The line of the code is “%s”.", g.Source)
	say("Their messages have these codes and names: %s.", g.Signs)
	say("They were caused by: %s.", strings.ReplaceAll(g.Causes, "\n", ", "))
	say("Errors of these classes only wrapped it: %s.", strings.ReplaceAll(g.Inside, "\n", ", "))
	if g.Basis == byLocation && g.Line != "" {
		sentences = append(sentences, "An event from another line of the same function goes on with this error if the code changed in between.")
	}
	return append(sentences, fmt.Sprintf("They were grouped by version %d of the grouping rule.", g.Rule))
}

func reason(g faults.Grouping) string {
	switch g.Basis {
	case byFingerprint:
		return "The app sent a fingerprint with these notices. Within one environment, only the fingerprint counts."
	case byLocation:
		if g.Rule >= Second {
			return "These notices share their environment, class and location in the code of the app."
		}
		return "These notices share their environment, class, component and location in the code of the app."
	case byMessage:
		return "These notices do not contain a location in the code of the app, so they are grouped by message, environment, class and component."
	default:
		return "These notices share all of the following."
	}
}

// location is where they come from as the rest of a sentence that begins with "They"; "" for none.
func location(g faults.Grouping) string {
	file := g.File
	if file != "" && g.Line != "" {
		file += ":" + g.Line
	}
	switch {
	case g.Basis == byMessage && g.Method != "":
		return "have no message, and occur in the library method " + g.Method
	case file != "" && g.Method != "":
		return "come from " + file + ", in " + g.Method
	case file != "":
		return "come from " + file
	case g.Method != "":
		return "come from the method " + g.Method
	default:
		return ""
	}
}
