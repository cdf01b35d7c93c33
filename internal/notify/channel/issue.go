package channel

import (
	"cmp"
	"encoding/json"
	"math"
	"strings"
)

// usualTitle is how issues are called where people do not say.
const usualTitle = "[[class]] [message]"

// issueTitle names an issue after a fault in one line, as format says: [class], [message], [environment] and [project]
// stand for what they name.
func issueTitle(m Message, format string) string {
	if format == "" {
		format = usualTitle
	}
	class, message := classOf(m)
	if class == "" && strings.Contains(format, "[class]") {
		format = "[message]"
	}
	title := strings.NewReplacer("[class]", class, "[message]", message, "[environment]", m.Environment, "[project]", m.Project).Replace(format)
	return cmp.Or(fit(clean(title, ""), longestTitle, plainly), m.Title, "Unnamed error")
}

// classOf takes the title of a message about a fault apart; the class is "" when the title does not begin with it.
func classOf(m Message) (class, message string) {
	var body struct {
		Fault struct {
			Klass string `json:"klass"`
		} `json:"fault"`
	}
	_ = json.Unmarshal(m.Body, &body) // which is of our own making
	class = clean(body.Fault.Klass, "")
	message, found := strings.CutPrefix(m.Title, class)
	if class == "" || !found {
		return "", m.Title
	}
	return class, strings.TrimPrefix(message, ": ")
}

// issueText is the text of an issue: first the error and where it occurred, then the backtrace. Text from outside is in
// blocks of code, where mentions, links and commands have no effect.
func issueText(m Message, link string, block func([]string) string, heading string) string {
	m.Facts = append([]Fact{{Name: "Project", Value: m.Project}, {Name: "Environment", Value: cmp.Or(m.Environment, "none")}}, m.Facts...)
	what := joined(math.MaxInt32, "\n\n", m.Title, m.Detail, m.factLines(plainly, "", ""))
	parts := []string{link, block(strings.Split(what, "\n"))}
	if len(m.Trace) > 0 {
		parts = append(parts, heading, block(m.Trace))
	}
	return strings.Join(parts, "\n\n")
}

// markdownIssue is issueText in Markdown. A line of a block never begins with a slash: GitLab and other services that
// execute commands in texts may end a block in other places.
func markdownIssue(m Message) string {
	return issueText(m, "[Open the error in sett]("+m.stamp()+")", markdownBlock, "**Backtrace**")
}

func markdownBlock(lines []string) string {
	var safe []string
	for _, line := range lines {
		if strings.HasPrefix(line, "/") {
			line = none + line
		}
		safe = append(safe, strings.ReplaceAll(line, "``", "`"+none+"`"))
	}
	return "```\n" + strings.Join(safe, "\n") + "\n```"
}

// labelsOption is the option of trackers that have labels.
func labelsOption() Option {
	return Option{Name: "labels", Label: "Labels", About: "Labels of new issues, separated by commas.", Form: Text}
}

// names splits a text at its commas.
func names(text string) (all []string) {
	for _, name := range strings.Split(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			all = append(all, name)
		}
	}
	return all
}
