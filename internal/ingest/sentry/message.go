package sentry

import (
	"strings"

	"sett/internal/sett/scan"
)

// text returns the message with its parameters in it: as the client did it, or else as printf and its like do.
func (m *message) text() string {
	if m.formatted != "" || m.template == "" {
		return m.formatted
	}
	s := scan.New(string(m.params))
	if s.Peek() == '{' {
		return fillNamed(m.template, &s)
	}
	return fill(m.template, texts(&s))
}

// fill puts values into a template, in their order, for %s, %d, %v, %r and {}. What has no value stays as it is.
func fill(template string, values []string) string {
	var b strings.Builder
	rest := template
	for len(values) > 0 {
		i := nextHole(rest)
		if i < 0 {
			break
		}
		b.WriteString(rest[:i])
		b.WriteString(values[0])
		values, rest = values[1:], rest[i+2:]
	}
	b.WriteString(rest)
	return b.String()
}

// nextHole returns where the next place for a value is, each of which has two bytes; -1 if there is none.
func nextHole(text string) int {
	for i := 0; i+1 < len(text); i++ {
		switch text[i : i+2] {
		case "%s", "%d", "%v", "%r", "%i", "%f", "{}":
			return i
		case "%%":
			i++
		}
	}
	return -1
}

// fillNamed puts values into a template for %(name)s and {name}.
func fillNamed(template string, s *scan.Scanner) string {
	var old []string
	for key := range s.Members {
		value := s.Text()
		if key != "" {
			old = append(old, "%("+key+")s", value, "%("+key+")d", value, "{"+key+"}", value)
		}
	}
	return strings.NewReplacer(old...).Replace(template)
}
