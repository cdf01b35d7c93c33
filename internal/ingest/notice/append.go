package notice

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// writer appends JSON. Every value but the first of an object or array needs a comma before it; comma says so.
type writer struct {
	out    []byte
	most   int // bytes of out, above which the rest of a list is not written: less detail is tried then
	comma  bool
	detail detail
}

// elements writes the elements of an array at a key.
func elements[T any](w *writer, key string, list []T, write func(*T)) {
	if len(list) == 0 {
		return
	}
	w.name(key)
	w.inside('[', ']', func() {
		for i := range list {
			if len(w.out) > w.most {
				return
			}
			w.separate()
			write(&list[i])
		}
	})
}

func (w *writer) notice(n *Notice) {
	w.object(func() {
		w.objectAt("notifier", func() {
			w.text("name", n.Notifier.Name)
			w.text("version", n.Notifier.Version)
			w.text("language", n.Notifier.Language)
		})
		w.objectAlways("error", func() { w.failure(n) })
		w.objectAt("request", func() { w.request(n) })
		w.objectAt("server", func() {
			w.text("environment_name", n.Environment)
			w.text("hostname", n.Hostname)
			w.text("revision", n.Revision)
			w.text("project_root", n.ProjectRoot)
			w.text("time", n.Time)
		})
		w.breadcrumbs(n.Breadcrumbs)
		w.members("details", n.Details)
		w.objectAt("correlation_context", func() { w.text("request_id", n.RequestID) })
		elements(w, "repairs", n.Repairs, func(sentence *string) { w.out = appendText(w.out, *sentence) })
	})
}

func (w *writer) failure(n *Notice) {
	w.text("token", n.Token)
	w.text("class", n.Class)
	w.text("message", n.Message)
	w.text("fingerprint", n.Fingerprint)
	w.text("level", n.Level)
	if n.Handled != nil {
		w.value("handled", JSON(strconv.FormatBool(*n.Handled)))
	}
	elements(w, "tags", n.Tags[:min(len(n.Tags), maxTags)], func(tag *string) { w.out = appendText(w.out, w.cut(*tag)) })
	w.backtrace(n.Backtrace)
	elements(w, "causes", n.Causes[:min(len(n.Causes), w.detail.causes)], func(c *Cause) {
		w.object(func() {
			w.text("class", c.Class)
			w.text("message", c.Message)
			w.backtrace(c.Backtrace)
		})
	})
}

func (w *writer) request(n *Notice) {
	w.text("url", n.URL)
	w.text("component", n.Component)
	w.text("action", n.Action)
	w.members("context", n.Context)
	w.value("params", n.Params)
	w.value("session", n.Session)
	w.members("cgi_data", n.CGI)
	w.value("local_variables", n.Locals)
}

func (w *writer) backtrace(all []Frame) {
	if ends := w.detail.frames; len(all) > 2*ends {
		all = slices.Concat(all[:ends], all[len(all)-ends:])
	}
	elements(w, "backtrace", all, w.frame)
}

func (w *writer) frame(f *Frame) {
	w.object(func() {
		w.text("file", f.File)
		w.number("number", f.Line)
		w.number("column", f.Column)
		w.text("method", f.Method)
		w.text("class", f.Class)
		w.text("context", f.Context)
		if w.detail.source && len(f.Source) > 0 {
			w.objectAt("source", func() {
				for _, line := range f.Source {
					w.text(strconv.Itoa(line.Number), line.Text)
				}
			})
		}
	})
}

func (w *writer) breadcrumbs(all []Breadcrumb) {
	trail := all[max(0, len(all)-w.detail.crumbs):]
	if len(trail) == 0 {
		return
	}
	w.objectAt("breadcrumbs", func() {
		w.value("enabled", "true")
		elements(w, "trail", trail, w.breadcrumb)
	})
}

func (w *writer) breadcrumb(b *Breadcrumb) {
	w.object(func() {
		w.text("category", b.Category)
		w.text("message", b.Message)
		w.text("timestamp", b.Time)
		w.members("metadata", b.Metadata)
	})
}

// members writes an object, or nothing if it would be empty.
func (w *writer) members(key string, members []Member) {
	if len(members) == 0 {
		return
	}
	w.objectAt(key, func() {
		for _, m := range members {
			w.value(m.Key, m.Value)
		}
	})
}

// objectAt writes a member whose value is an object, or nothing if the object is empty.
func (w *writer) objectAt(key string, body func()) {
	start, comma := len(w.out), w.comma
	w.name(key)
	inside := len(w.out) + 1
	if w.object(body); len(w.out) == inside+1 {
		w.out, w.comma = w.out[:start], comma
	}
}

// objectAlways writes a member whose value is an object, even if it is empty.
func (w *writer) objectAlways(key string, body func()) {
	w.name(key)
	w.object(body)
}

func (w *writer) object(body func()) { w.inside('{', '}', body) }

func (w *writer) inside(opening, closing byte, body func()) {
	w.out, w.comma = append(w.out, opening), false
	body()
	w.out, w.comma = append(w.out, closing), true
}

// text writes a member whose value is a text, or nothing if that is empty.
func (w *writer) text(key, text string) {
	if text == "" {
		return
	}
	w.name(key)
	w.out = appendText(w.out, w.cut(text))
}

// number writes a member whose value is a number, or nothing if that is 0.
func (w *writer) number(key string, n int) {
	if n == 0 {
		return
	}
	w.name(key)
	w.out = strconv.AppendInt(w.out, int64(n), 10)
}

// value writes a member with any value, or nothing if there is none or too much of it.
func (w *writer) value(key string, v JSON) {
	if v == "" || len(v) > w.detail.value {
		return
	}
	w.key(key)
	w.out = append(w.out, v...)
}

// name writes the key of a member that has the same letters in JSON, as all names of the contract have.
func (w *writer) name(key string) {
	w.separate()
	w.out = append(append(append(w.out, '"'), key...), '"', ':')
}

// key writes any key of a member.
func (w *writer) key(key string) {
	w.separate()
	w.out = append(appendText(w.out, w.cut(key)), ':')
}

func (w *writer) separate() {
	if w.comma {
		w.out = append(w.out, ',')
	}
	w.comma = true
}

// cut returns text as long as the detail allows, cut between runes.
func (w *writer) cut(text string) string {
	n := w.detail.text
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// appendText appends a text as JSON. What is not UTF-8 becomes U+FFFD.
func appendText(dst []byte, text string) []byte {
	if isPlain(text) {
		dst = append(append(dst, '"'), text...)
		return append(dst, '"')
	}
	dst, _ = jsontext.AppendQuote(dst, text) // the error is about what is not UTF-8
	return dst
}

// isPlain reports whether a text is the same in JSON: it is ASCII, and has nothing to escape.
func isPlain(text string) bool {
	for i := range len(text) {
		if !plain[text[i]] {
			return false
		}
	}
	return true
}

// plain are the characters that are the same in JSON.
var plain = func() (t [256]bool) {
	for c := ' '; c <= '~'; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()
