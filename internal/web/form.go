package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"sett/internal/sett"
)

// Field is one field of a form, as the part "field" draws it.
type Field struct {
	Name     string // as it is sent, and its element's id unless that has an ID
	ID       string
	Label    string
	Kind     string // type of the input: text, email, password, number, url, …; area for a text of many lines, tick for a box to tick
	Value    string
	Complete string // what a browser may fill in: the attribute autocomplete; off when it is ""
	Hint     string
	Problem  string   // why its value was refused
	Choices  []Choice // it is a choice of these
	Optional bool     // it may be left empty
	Lines    int      // how high an area is
	Code     bool     // its value is read by machines: shown as code
	On       bool     // a box that is ticked; its Value is what is sent then, "true" when that is ""
}

// Choice is one of the values that a field takes.
type Choice struct{ Value, Label string }

// Choices makes choices of values, each with its label behind it.
func Choices(pairs ...string) (choices []Choice) {
	for i := 0; i+1 < len(pairs); i += 2 {
		choices = append(choices, Choice{pairs[i], pairs[i+1]})
	}
	return choices
}

// Element returns the id of the field's element.
func (f Field) Element() string {
	if f.ID != "" {
		return f.ID
	}
	return f.Name
}

// Described returns the ids of the elements that say more about the field.
func (f Field) Described() string {
	var ids []string
	if f.Hint != "" {
		ids = append(ids, f.Element()+"-hint")
	}
	if f.Problem != "" {
		ids = append(ids, f.Element()+"-problem")
	}
	return strings.Join(ids, " ")
}

// Fields are those of one form, in the order in which people fill them in.
type Fields []Field

// Explain puts each problem to the field that it is about.
func (fs Fields) Explain(problems sett.Problems) {
	for i := range fs {
		for _, problem := range problems {
			if rest, ok := strings.CutPrefix(problem, fs[i].Name+" "); ok {
				fs[i].Problem = fs[i].Label + " " + rest + "."
			}
		}
	}
}

// longestForm is how large the body of a form may be, in bytes.
const longestForm = 64 << 10

// ReadForm returns the fields of the request's body. Text that cannot be stored is an Invalid error.
func ReadForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	r.Body = http.MaxBytesReader(w, r.Body, longestForm)
	if err := r.ParseForm(); err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge || sett.CodeOf(err) != "" {
			return nil, err
		}
		return nil, sett.Errorf(sett.Malformed, "The form could not be read. Go back, reload the page and submit it again.")
	}
	for _, values := range r.PostForm {
		for _, v := range values {
			if !utf8.ValidString(v) || strings.ContainsRune(v, 0) {
				return nil, sett.Errorf(sett.Invalid, "The form contains invalid characters. Remove them and submit it again.")
			}
		}
	}
	return r.PostForm, nil
}
