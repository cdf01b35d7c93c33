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
	say("Environment: %s.", g.Environment)
	say("Fingerprint: “%s”.", g.Fingerprint)
	say("Class: %s.", g.Class)
	say("Component: %s.", g.Component)
	say("%s.", location(g))
	if g.Rule < Second || g.Basis == byMessage {
		say("Message, without numbers, IDs, addresses, times and quoted text: “%s”.", g.Message)
	} else {
		say("Messages from this place that share enough words with “%s”.", g.Message)
	}
	if g.Rule < Second {
		return append(sentences, fmt.Sprintf("Grouping version: %d.", g.Rule))
	}
	say("Called from %s.", g.Via)
	say("Line of code: “%s”.", g.Source)
	say("Codes and names in the message: %s.", g.Signs)
	say("Caused by: %s.", strings.ReplaceAll(g.Causes, "\n", ", "))
	say("Wrapped in: %s.", strings.ReplaceAll(g.Inside, "\n", ", "))
	if g.Basis == byLocation && g.Line != "" {
		sentences = append(sentences, "If the code changes, an event from another line of the same function joins this error.")
	}
	return append(sentences, fmt.Sprintf("Grouping version: %d.", g.Rule))
}

func reason(g faults.Grouping) string {
	switch g.Basis {
	case byFingerprint:
		return "Same fingerprint, which the app sent. Within one environment, only the fingerprint counts."
	case byLocation:
		if g.Rule >= Second {
			return "Same environment, class and place in the code of the app."
		}
		return "Same environment, class, component and place in the code of the app."
	case byMessage:
		return "Same environment, class, component and message. No frame is code of the app."
	default:
		return "Same in all of the following."
	}
}

// location says where the events come from; "" for nothing.
func location(g faults.Grouping) string {
	file := g.File
	if file != "" && g.Line != "" {
		file += ":" + g.Line
	}
	switch {
	case g.Basis == byMessage && g.Method != "":
		return "No message; library method " + g.Method
	case file != "" && g.Method != "":
		return "Place: " + file + ", in " + g.Method
	case file != "":
		return "Place: " + file
	case g.Method != "":
		return "Method: " + g.Method
	default:
		return ""
	}
}
