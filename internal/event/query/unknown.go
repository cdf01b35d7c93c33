package query

import (
	"maps"
	"slices"
	"strings"

	"sett/internal/base/phrase"
)

// typable are the keys as they are typed, without those that need a path.
var typable = []string{
	string(Class), string(Component), string(Action), string(Environment), string(Message), string(Cause), string(Tag), string(File),
	string(Hostname), string(Revision), string(User), string(Assignee), string(Is), string(Has),
	"created", "created.after", "created.before", "occurred", "occurred.after", "occurred.before",
	"last_occurred", "last_occurred.after", "last_occurred.before",
}

// sections are the keys that need a path, each with one as an example.
var sections = map[string]string{
	string(Request): "request.url", string(Params): "params.id", string(Context): "context.user_id", string(Session): "session.id",
}

// aliases are what other products call the keys (Sentry, Bugsnag, Rollbar), and what people guess. A minus is an underscore.
var aliases = map[string]string{
	"env": "environment", "stage": "environment", "release_stage": "environment",
	"host": "hostname", "server": "hostname", "server_name": "hostname", "machine": "hostname",
	"release": "revision", "version": "revision", "code_version": "revision", "app.version": "revision", "rev": "revision", "sha": "revision", "commit": "revision",
	"user_id": "user", "user_email": "user", "user_name": "user", "username": "user", "email": "user", "users": "user", "person": "user",
	"user.id": "user", "user.email": "user", "user.name": "user", "user.username": "user",
	"tags": "tag", "label": "tag", "labels": "tag",
	"status": "is", "state": "is",
	"type": "class", "exception": "class", "klass": "class", "error_class": "class", "error.class": "class", "error.type": "class",
	"msg": "message", "title": "message", "error.message": "message", "error.value": "message",
	"causes": "cause", "caused_by": "cause",
	"controller": "component", "filename": "file", "stack.filename": "file",
	"assigned": "assignee", "assigned_to": "assignee",
	"comment": "has:comment", "comments": "has:comment",
	"url": "request.url", "http.url": "request.url", "http.method": "request.method",
	"browser": "request.user_agent", "browser.name": "request.user_agent", "user_agent": "request.user_agent", "useragent": "request.user_agent",
	"ip": "request.remote_addr", "ip_address": "request.remote_addr", "remote_addr": "request.remote_addr",
	"referer": "request.referer", "referrer": "request.referer",
	"first_seen": "created", "last_seen": "last_occurred", "date": "occurred",
	"since": "occurred.after", "after": "occurred.after", "until": "occurred.before", "before": "occurred.before",
}

// sectionAliases are what people call the sections of a notice.
var sectionAliases = map[string]string{"ctx": "context", "extra": "context", "req": "request", "http": "request", "param": "params"}

// slip is what is wrong with a term; the zero slip is nothing.
type slip struct {
	problem string // what the search has, behind the name of its field
	text    string // the same in sentences of their own; "" if the problem is all
	meant   string // the key that was probably meant, with its colon, or a whole term; "" for none
}

// unknownKey says what is wrong with a token whose key is none of the language's, or nothing if the token is text. Text is
// whatever has no key and value, and what is often part of a message: nil:NilClass, http://a.test, Foo::Bar, 12:30,
// localhost:5432, orders.rb:12. So a word without a dot is text if no key is near it.
func unknownKey(t searchToken) slip {
	name, path, dotted := strings.Cut(t.key, ".")
	if !isKeyLike(name, path) || !hasValue(t, name) {
		return slip{}
	}
	if meant := nearKey(strings.ReplaceAll(t.key, "-", "_"), t.value); meant != "" {
		return misspelt(t, meant)
	}
	if example, ok := sections[name]; ok {
		return wrongKey(t, "needs the name of a field, such as "+example+":value.", "“"+t.key+":” needs the name of a field, such as "+example+":value.", "")
	}
	if !dotted || isSourceLine(t) {
		return slip{}
	}
	if meant := nearPath(name, path); meant != "" {
		return misspelt(t, meant)
	}
	if isAddress(t) {
		return slip{}
	}
	const fields = "Fields of events begin with request., params., context. or session."
	meant := "context." + t.key + ":"
	return wrongKey(t, "is not known. "+fields+"; did you mean "+meant+"?", unknownFilter(t)+" "+fields, meant)
}

func misspelt(t searchToken, meant string) slip {
	first, _, _ := strings.Cut(meant, " or ")
	return wrongKey(t, "is not known; did you mean "+meant+"?", unknownFilter(t), first)
}

func unknownFilter(t searchToken) string { return "Unknown filter " + shownTerm(t.key+":") + "." }

func wrongKey(t searchToken, problem, text, meant string) slip {
	return slip{"has " + shownTerm(t.text) + ", whose key " + problem + " To search for the text itself, put it in quotes", text, meant}
}

// isKeyLike reports whether the parts of a key before and after its first dot look like one that was typed as a key.
func isKeyLike(name, path string) bool {
	small := func(r rune) bool { return 'a' <= r && r <= 'z' || r == '_' || r == '-' }
	inPath := func(r rune) bool { return small(r) || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' }
	return len(name) > 1 && name[0] >= 'a' && isOf(name, small) && isOf(path, inPath)
}

func isOf(s string, allowed func(rune) bool) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !allowed(r) })
}

// hasValue reports whether what follows the colon may be a value. Words of messages often end with a colon, but none
// does that begins with the key of a date and a dot.
func hasValue(t searchToken, name string) bool {
	switch {
	case t.value == "":
		return strings.Contains(t.key, ".") && isDate(Key(name))
	case t.quoted:
		return true
	}
	return t.value[0] != ':' && t.value[0] != '\\' && !strings.HasPrefix(t.value, "//")
}

func isDate(key Key) bool { return key == Created || key == Occurred || key == LastOccurred }

// nearKey returns the key that was meant, with its colon, or "" if none is near.
func nearKey(key, value string) string {
	meant := aliases[key]
	switch {
	case meant == "":
		meant, _ = phrase.Misspelt(key, typable)
	case (meant == string(Is) || key == "host" || key == "server") && beginsWithDigit(value): // status:500, host:8080
		return ""
	}
	if meant == "" || strings.Contains(meant, ":") {
		return meant
	}
	return meant + ":"
}

// nearPath does the same for a key with a path, by what precedes the path.
func nearPath(name, path string) string {
	if meant, ok := sectionAliases[name]; ok {
		return meant + "." + path + ":"
	}
	if meant, ok := phrase.Misspelt(name, slices.Sorted(maps.Keys(sections))); ok {
		return meant + "." + path + ":"
	}
	switch {
	case name == string(User):
		return "context.user." + path + ":"
	case isDate(Key(name)):
		return name + ".after: or " + name + ".before:"
	case slices.Contains(typable, name):
		return name + ":"
	}
	return ""
}

// isSourceLine reports whether a word is a file and a line in it, such as orders.rb:12.
func isSourceLine(t searchToken) bool {
	const endings = " c cc clj cpp cr cs dart erb erl ex exs fs go groovy h hpp hs html java js jsx kt lua m mjs php pl py rb rs scala sh sql swift ts tsx vue "
	return beginsWithDigit(t.value) && strings.Contains(endings, " "+t.key[strings.LastIndexByte(t.key, '.')+1:]+" ")
}

// isAddress reports whether a word with a dot is a host and its port, such as db.internal:5432, and not a field and an id.
func isAddress(t searchToken) bool {
	return beginsWithDigit(t.value) && !strings.Contains(t.key, "_") && !strings.HasSuffix(t.key, "id")
}

func beginsWithDigit(s string) bool { return s != "" && '0' <= s[0] && s[0] <= '9' }
