package group

import "strings"

// signsOf returns what a message, as plainMessage has it, says in codes and in names of what programs are made of, a word each: they tell apart errors of one
// place. What is all of a message is left out: it may be a value. Engines of JavaScript disagree about names, so they can be left out.
func signsOf(message string, names bool) string {
	if isTemplate(message) {
		return message
	}
	s := signs{text: message, names: names}
	for s.at < len(message) {
		s.step()
	}
	return strings.Join(s.all, " ")
}

// signs reads a message from left to right.
type signs struct {
	text  string
	names bool
	at    int
	all   []string
}

func (s *signs) step() {
	switch c := s.text[s.at]; {
	case c == '\'' && !endsInWord(s.text[:s.at]):
		s.quote()
	case isAlnum(c) || c == '$':
		s.word()
	default:
		s.at++
	}
}

// quote reads a name in quotes, which plainMessage has left.
func (s *signs) quote() {
	length := strings.IndexByte(s.text[s.at+1:], '\'')
	if length < 1 {
		s.at++
		return
	}
	end := s.at + length + 2
	if all := s.at == 0 && end == len(s.text); s.names && !all || isTemplate(s.text[s.at+1:end-1]) {
		s.all = append(s.all, s.text[s.at:end])
	}
	s.at = end
}

// word reads a word, or a path of names.
func (s *signs) word() {
	end := s.at + 1
	for end < len(s.text) && (isAlnum(s.text[end]) || s.text[end] == '_') {
		end++
	}
	word := s.text[s.at:end]
	if s.isPlain(word, end) {
		s.at = end
		return
	}
	if s.isCode(word, end) || s.names && s.isName(word, end) {
		s.all = append(s.all, word)
	} else if path := s.path(); path > end && (s.names || s.follows("(")) {
		s.all, end = append(s.all, s.text[s.at:path]), path
	}
	s.at = end
}

// isPlain reports whether a word is nothing but a word, as most are: of small letters, between spaces.
func (s *signs) isPlain(word string, end int) bool {
	return isLower(word) && (end == len(s.text) || s.text[end] == ' ') && s.at > 1 && s.text[s.at-1] == ' ' && s.text[s.at-2] != '=' && s.text[s.at-2] != ':'
}

// isCode reports whether a word says what went wrong: by its digits, which plainMessage leaves to codes alone, by its shape, or by where it stands.
func (s *signs) isCode(word string, end int) bool {
	switch {
	case hasDigit(word), isErrno(word), isConstant(word), isErrorClass(word):
		return true
	case s.follows(": ") && end == len(s.text) && strings.IndexByte(word, '_') > 0:
		return true
	case strings.HasPrefix(s.text[end:], ":"):
		return isCapital(word) && !isSeverity(word) || s.at == 0 && strings.IndexByte(word, '_') > 0
	case s.follows("code = "), s.follows("code="), s.follows("code: "):
		return true
	default:
		return s.follows("(") && s.endsGroup(end) && (strings.IndexByte(word, '_') > 0 || isCapital(word))
	}
}

// isName reports whether a word is a name by the signs around it: "$total", "price()".
func (s *signs) isName(word string, end int) bool {
	return word[0] == '$' && len(word) > 1 || s.at > 0 && strings.HasPrefix(s.text[end:], "()")
}

// path ends a path of names that stands in brackets, or behind a word for what programs are made of: "[App\Models\Order]", "template shop/terms", "(auth/no-user)"; 0 for none.
func (s *signs) path() int {
	end, parts := s.at, 0
	for end < len(s.text) && (isLetter(s.text[end]) || strings.IndexByte(`_.:/\-`, s.text[end]) >= 0) {
		if strings.IndexByte(`.:/\`, s.text[end]) >= 0 {
			parts++
		}
		end++
	}
	end = s.at + len(strings.TrimRight(s.text[s.at:end], `.:/\-`))
	if parts == 0 || !strings.ContainsAny(s.text[s.at:end], `.:/\`) {
		return 0
	}
	if s.follows("[") && strings.HasPrefix(s.text[end:], "]") || s.follows("(") && strings.HasPrefix(s.text[end:], ")") {
		return end
	}
	if word, _ := lastWord(s.text[:s.at]); s.follows(" ") && isStored(word) {
		return end
	}
	return 0
}

// isStored reports whether a word is for what programs look up by name, which may come without quotes.
func isStored(word string) bool {
	switch word {
	case "template", "view", "partial", "relation", "table", "column", "model", "module", "package", "index", "constraint":
		return true
	}
	return false
}

// follows reports whether a text stands just before the current word.
func (s *signs) follows(text string) bool { return strings.HasSuffix(s.text[:s.at], text) }

func (s *signs) endsGroup(end int) bool {
	return end < len(s.text) && (s.text[end] == ')' || s.text[end] == ',')
}

func endsInWord(s string) bool { return s != "" && isAlnum(s[len(s)-1]) }

// isErrno reports whether a word is the name of an error of a system or a signal, such as "ENOENT" and "SIGKILL".
func isErrno(word string) bool {
	return len(word) >= 4 && isCapital(word) && (word[0] == 'E' || strings.HasPrefix(word, "SIG") || strings.HasPrefix(word, "WSAE")) && !isSeverity(word)
}

// isCapital reports whether a word has capitals alone, four or more.
func isCapital(word string) bool {
	for i := range len(word) {
		if !isUpper(word[i]) && word[i] != '_' {
			return false
		}
	}
	return len(word) >= 4
}

// isConstant reports whether a word is the name of a constant: "DEADLINE_EXCEEDED".
func isConstant(word string) bool {
	return strings.IndexByte(word, '_') > 0 && word[len(word)-1] != '_' && isCapital(word)
}

// isSeverity reports whether a word of capitals says how grave an error is, and not which one.
func isSeverity(word string) bool {
	switch word {
	case "ERROR", "EXCEPTION", "FATAL", "CRITICAL", "WARNING", "WARN", "NOTICE", "INFO", "DEBUG", "PANIC", "ALERT", "EMERGENCY", "JSON", "HTTP", "HTTPS", "NULL", "DETAIL", "HINT", "LINE":
		return true
	}
	return false
}

// isErrorClass reports whether a word is the name of a class of errors, but of none that stands for any: "ThrottlingException".
func isErrorClass(word string) bool {
	return isUpper(word[0]) && (strings.HasSuffix(word, "Exception") || strings.HasSuffix(word, "Error")) && !generic[word]
}

// isTemplate reports whether a text is the name of a file that frameworks make pages of.
func isTemplate(text string) bool {
	i := strings.LastIndexByte(text, '.')
	if i < 1 || !isIdentifier(text) {
		return false
	}
	switch text[i:] {
	case ".html", ".htm", ".erb", ".haml", ".slim", ".twig", ".tpl", ".ftl", ".ftlh", ".jsp", ".jinja", ".mustache", ".hbs", ".ejs", ".pug", ".php", ".phtml", ".cshtml", ".razor", ".eex", ".heex", ".tmpl", ".gohtml", ".mako", ".latte":
		return true
	}
	return false
}
