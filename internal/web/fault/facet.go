package fault

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"sett/internal/event/query"
	"sett/internal/event/useragent"
	"sett/internal/store/searchdb"
	"sett/internal/web"
)

// facets is the panel beside the list: links that add a term to the search, or remove it.
type facets struct {
	Chosen   int // terms of the panel that the search has
	Spans    []facetLink
	From, To string // the days of a range of dates
	Asked    asked
	Action   string
	Groups   []facetGroup
	Field    web.Field // for another group
}

// facetGroup is one key of searches.
type facetGroup struct {
	Label       string
	First, More []facetLink
	Remove      string // URL of the list without the group; "" if it is always there
}

// facetLink is a value: a click adds its term to the search, or removes it if the search has it.
type facetLink struct {
	ID, Label, Address, Count string
	On                        bool
}

const (
	browserKey = "request.user_agent"

	firstFacets = 5 // values of a group that are always shown
	mostFacets  = 15
)

// facetKeys are the keys of the panel, with their labels.
var facetKeys = [][2]string{
	{"environment", "Environment"},
	{"revision", "Revision"},
	{"class", "Class"},
	{"component", "Component"},
	{"hostname", "Host"},
	{browserKey, "Browser"},
	{"user", "User"},
}

// spans are the ranges of time, with what an event is after.
var spans = [][2]string{{"Last hour", "1 hour ago"}, {"24 hours", "24 hours ago"}, {"7 days", "7 days ago"}, {"30 days", "30 days ago"}}

// panel builds the facets of a list.
type panel struct {
	facets
	p       *pages
	project int64
	now     time.Time
	query.Spelled
}

// readFacets reads the panel of a list.
func (p *pages) readFacets(r *http.Request, v *list) error {
	fields, problem := fieldsOf(r)
	keys := slices.Clone(fields)
	for _, key := range facetKeys {
		keys = append(keys, key[0])
	}
	found, err := p.countFacets(r.Context(), v.Now, v.ProjectID, keys)
	if err != nil || found.Faults == 0 {
		return err
	}
	b := &panel{p: p, project: v.ProjectID, now: v.Now, Spelled: v.search}
	b.Asked, b.Action = v.Asked, p.At(fmt.Sprintf("/projects/%d/faults", v.ProjectID))
	b.addSpans()
	for _, key := range facetKeys {
		b.addGroup(key[0], facetGroup{Label: key[1]}, found.Values[key[0]])
	}
	for _, key := range fields {
		b.addGroup(key, facetGroup{Label: key, Remove: b.address(v.Asked.Q) + "&without=" + url.QueryEscape(key)}, found.Values[key])
	}
	b.Field = web.Field{Name: "field", Label: "Another field", Kind: "text", Hint: "Such as context.plan or params.id.", Problem: problem}
	if problem != "" {
		b.Field.Value = cut(r.URL.Query().Get("field"), longestField)
	}
	v.Facets = &b.facets
	return nil
}

// address returns the URL of the list with another search.
func (b *panel) address(q string) string {
	there := b.Asked
	there.Q = q
	return b.p.listAddress(b.project, there)
}

// link returns the link for a term.
func (b *panel) link(label, term string) facetLink {
	l := facetLink{ID: facetID(term), Label: label}
	there, had := b.Toggle(term)
	if l.On = had; had {
		b.Chosen++
	}
	l.Address = b.address(there.String())
	return l
}

// facetID returns the ID of the element of a term, which keeps the focus when the list is replaced.
func facetID(term string) string {
	sum := fnv.New64a()
	sum.Write([]byte(term))
	return fmt.Sprintf("facet-%x", sum.Sum64())
}

// addSpans adds the ranges of time. Each replaces the others.
func (b *panel) addSpans() {
	for _, span := range spans {
		term := query.Write("occurred.after", span[1])
		l := b.link(span[0], term)
		if !l.On {
			l.Address = b.address(b.Without(query.Occurred).With(term).String())
		}
		b.Spans = append(b.Spans, l)
	}
	for _, t := range b.Terms {
		if t.Key != query.Occurred || t.Negated || len(t.Values) != 1 || strings.HasSuffix(t.Values[0].Text, " ago") {
			continue
		}
		if from := t.Values[0].From; !from.IsZero() {
			b.From = from.In(b.now.Location()).Format(time.DateOnly)
		}
		if to := t.Values[0].To; !to.IsZero() {
			b.To = to.In(b.now.Location()).Add(-time.Second).Format(time.DateOnly)
		}
	}
}

// addGroup adds the values of a key: the most frequent ones, and first those that the search has.
func (b *panel) addGroup(key string, g facetGroup, values []searchdb.FacetValue) {
	var links []facetLink
	for _, v := range b.withAsked(key, values) {
		if len(links) == mostFacets {
			break
		}
		l := b.link(facetLabel(key, v.Text), v.Term)
		if v.Count > 0 {
			l.Count = web.Number(v.Count)
		}
		links = append(links, l)
	}
	n := min(len(links), firstFacets)
	if g.First, g.More = links[:n], links[n:]; n > 0 || g.Remove != "" {
		b.Groups = append(b.Groups, g)
	}
}

// facetLabel shortens a value: the hash of a commit to what identifies it.
func facetLabel(key, text string) string {
	const shortest, longest = 12, 80
	if key == "revision" && len(text) == 40 && !strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) }) {
		return text[:shortest]
	}
	return cut(text, longest)
}

// withAsked returns values with those that the search asks for before them, unless they are among the first.
func (b *panel) withAsked(key string, values []searchdb.FacetValue) []searchdb.FacetValue {
	var asked []searchdb.FacetValue
	for _, t := range b.Terms {
		name := string(t.Key)
		if t.Path != "" {
			name += "." + t.Path
		}
		if name != key || t.Negated || len(t.Values) != 1 || t.Values[0].Text == "" {
			continue
		}
		text := t.Values[0].Text
		i := slices.IndexFunc(values, func(v searchdb.FacetValue) bool {
			return strings.EqualFold(v.Term, t.Text) || strings.EqualFold(v.Text, text)
		})
		switch {
		case i >= 0 && i < firstFacets:
		case i >= 0:
			asked = append(asked, values[i])
			values = slices.Delete(slices.Clone(values), i, i+1)
		case key == browserKey:
			asked = append(asked, searchdb.FacetValue{Text: useragent.FamilyBy(text).Name, Term: t.Text})
		default:
			asked = append(asked, searchdb.FacetValue{Text: text, Term: t.Text})
		}
	}
	return append(asked, values...)
}

// within returns a search for the days that the form of the panel asks for, in the time zone of now.
func within(q query.Spelled, form url.Values, now time.Time) query.Spelled {
	q = fromDay(q.Without(query.Occurred), "occurred.after", form.Get("from"), 0, now)
	return fromDay(q, "occurred.before", form.Get("to"), 1, now)
}

// fromDay adds a term for the beginning of the day that a form names, or of one some days later.
func fromDay(q query.Spelled, key query.Key, named string, later int, now time.Time) query.Spelled {
	text := strings.TrimSpace(named)
	if day, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		text = day.AddDate(0, 0, later).UTC().Format("2006-01-02 15:04")
	}
	if text == "" {
		return q
	}
	return q.With(query.Write(key, cut(text, 40)))
}

const (
	fieldsCookie = "sett_fields"
	mostFields   = 5
	longestField = 100
)

// fieldsOf returns the fields that the user added to the panel of a project, and what is wrong with one that is added now.
func fieldsOf(r *http.Request) (fields []string, problem string) {
	if cookie, err := r.Cookie(fieldsCookie); err == nil {
		if kept, err := url.QueryUnescape(cookie.Value); err == nil {
			for field := range strings.SplitSeq(kept, " ") {
				if isField(field) && len(fields) < mostFields && !slices.Contains(fields, field) {
					fields = append(fields, field)
				}
			}
		}
	}
	asked := r.URL.Query()
	gone, added := asked.Get("without"), strings.ToLower(strings.TrimSuffix(strings.TrimSpace(asked.Get("field")), ":"))
	fields = slices.DeleteFunc(fields, func(f string) bool { return f == gone })
	switch {
	case added == "" || slices.Contains(fields, added):
	case !isField(added):
		problem = "A field begins with context., params., session. or request., such as context.plan."
	case len(fields) == mostFields:
		problem = fmt.Sprintf("There can be %d fields. Remove one first.", mostFields)
	default:
		fields = append(fields, added)
	}
	return fields, problem
}

// isField reports whether a text is the key of a field of events.
func isField(text string) bool {
	t, problem := query.ReadTyped(text + ":")
	_, ok := t.KeyTerm(text)
	return problem == "" && t.Path != "" && ok && len(text) <= longestField && text != browserKey && !strings.Contains(text, " ")
}

// rememberFields stores the added fields in a cookie of the project.
func (p *pages) rememberFields(w http.ResponseWriter, r *http.Request) {
	fields, _ := fieldsOf(r)
	if asked := r.URL.Query(); asked.Has("field") || asked.Has("without") {
		http.SetCookie(w, &http.Cookie{
			Name: fieldsCookie, Value: url.QueryEscape(strings.Join(fields, " ")), Path: p.At(fmt.Sprintf("/projects/%d/faults", web.Project(r))),
			MaxAge: 400 * 24 * 60 * 60, SameSite: http.SameSiteLaxMode, HttpOnly: true,
		})
	}
}
