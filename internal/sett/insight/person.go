package insight

import (
	"encoding/json"
	"strings"

	"sett/internal/event/column"
	"sett/internal/event/payload"
)

// Person is a user of an application, whose events are looked for.
type Person struct {
	is       *column.Exact
	anywhere bool
	field    string
}

// NewPerson returns the person whom a text names: in any value if it does so anywhere, otherwise in the values of keys that name a user,
// among them the field of the project if that is not "". The whole value has to match, in any case.
func NewPerson(text string, anywhere bool, field string) *Person {
	return &Person{column.NewExact(payload.UserText(text)), anywhere, strings.ToLower(field)}
}

// Of reports whether an event is one of the person.
func (p *Person) Of(e Event) bool {
	for _, f := range e.Fields {
		if p.has(f.Key, ReadValue(f.Value)) {
			return true
		}
	}
	return false
}

// Rows returns the rows of a frame whose events are the person's.
func (p *Person) Rows(f *Frame) (column.Set, error) {
	found := column.NewSet(len(f.At))
	keys, err := f.Keys()
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		if err := f.addWhere(found, key, func(v Value) bool { return p.has(key, v) }); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (p *Person) has(key string, v Value) bool {
	switch v.Kind {
	case Text, Number:
		return p.named(key, v.Text)
	case List:
		var nested any
		d := json.NewDecoder(strings.NewReader(v.Text))
		d.UseNumber()
		return d.Decode(&nested) == nil && p.within(key, nested)
	case Absent, Bool:
	}
	return false
}

// within looks into an array or object.
func (p *Person) within(key string, v any) bool {
	switch v := v.(type) {
	case string:
		return p.named(key, v)
	case json.Number:
		return p.named(key, v.String())
	case []any:
		for _, one := range v {
			if p.within(key, one) {
				return true
			}
		}
	case map[string]any:
		for name, one := range v {
			if p.within(key+"."+name, one) {
				return true
			}
		}
	}
	return false
}

func (p *Person) named(key, text string) bool {
	if text = payload.UserText(text); len(text) > payload.MaxFacetText || !p.is.Is(text) { // longer texts are compared without their ends
		return false
	}
	return p.anywhere || p.namesUser(key)
}

// namesUser reports whether a key names a user, by itself or after a dot: such as user_id, user.email or context.user.
func (p *Person) namesUser(key string) bool {
	for rest, more := strings.ToLower(key), true; more; _, rest, more = strings.Cut(rest, ".") {
		switch {
		case payload.NamesUser([]byte("context." + rest)), rest == "enduser.id", rest == "user.full_name":
			return true
		case p.field != "" && (rest == p.field || strings.HasSuffix(p.field, "."+rest)):
			return true
		}
	}
	return false
}
