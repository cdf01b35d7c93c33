package web

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"sett/internal/sett"
)

// Field is one field of a form, as the template "field" renders it.
type Field struct {
	Name     string // the name as sent, and the ID of the element if ID is empty
	ID       string
	Label    string
	Kind     string // type of the input: text, email, password, number, url, …; area for multiline text, tick for a checkbox
	Value    string
	Complete string // the attribute autocomplete; "" means off
	Hint     string
	Problem  string   // why the value was rejected
	Choices  []Choice // the options of a select
	Optional bool     // may be empty
	Lines    int      // height of an area
	Code     bool     // shown in a monospaced font
	Focus    bool     // focused when the page is opened
	On       bool     // a checked checkbox, which sends Value, or "true" if Value is ""
}

// Choice is one option of a field.
type Choice struct{ Value, Label string }

// Choices returns choices from pairs of a value and a label.
func Choices(pairs ...string) (choices []Choice) {
	for i := 0; i+1 < len(pairs); i += 2 {
		choices = append(choices, Choice{pairs[i], pairs[i+1]})
	}
	return choices
}

// Element returns the ID of the field's element.
func (f Field) Element() string {
	if f.ID != "" {
		return f.ID
	}
	return f.Name
}

// Described returns the IDs of the elements that describe the field.
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

// Fields are the fields of a form, in their order.
type Fields []Field

// Explain assigns each problem to its field, in the words of the form.
func (fs Fields) Explain(problems sett.Problems) {
	labels := map[string]string{}
	for _, f := range fs {
		labels[f.Name] = "“" + f.Label + "”"
	}
	for i := range fs {
		for _, problem := range problems {
			if rest, ok := strings.CutPrefix(problem, fs[i].Name+" "); ok {
				fs[i].Problem = fs[i].Label + " " + plainProblem(rest, labels) + "."
			}
		}
	}
}

// longestForm is the maximum size of a form, in bytes.
const longestForm = 64 << 10

// ReadForm returns the fields of the request body. Text that cannot be stored is an Invalid error.
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

// Upload is a file that a user chose, with the name that the browser gave.
type Upload struct {
	Name string
	Text []byte
}

// ReadFiles returns the fields and the files called name of a form that was sent as multipart/form-data. What is more than most bytes
// together is cut off behind one more byte, so that who counts them refuses them. Then the fields behind them may be missing.
func ReadFiles(w http.ResponseWriter, r *http.Request, name string, most int64) (url.Values, []Upload, error) {
	r.Body = http.MaxBytesReader(w, r.Body, 2*most+longestForm)
	unreadable := sett.Errorf(sett.Malformed, "The form could not be read. Choose files that are smaller, and submit it again.")
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, nil, unreadable
	}
	form, left, files := url.Values{}, int64(longestForm), []Upload(nil)
	for range mostFileParts {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) || err != nil && most < 0 {
			return form, files, nil
		}
		if err != nil {
			return nil, nil, unreadable
		}
		bound := &left
		if part.FormName() == name {
			bound = &most
		}
		text, err := io.ReadAll(io.LimitReader(part, *bound+1))
		if err != nil {
			return nil, nil, unreadable
		}
		*bound -= int64(len(text))
		switch {
		case part.FormName() == name:
			files = append(files, Upload{part.FileName(), text})
		case left < 0:
			return nil, nil, sett.Errorf(sett.TooLarge, "The fields of the form are too long. Shorten them, and submit the form again.")
		case !utf8.Valid(text) || strings.ContainsRune(string(text), 0):
			return nil, nil, sett.Errorf(sett.Invalid, "The form contains invalid characters. Remove them and submit it again.")
		default:
			form.Add(part.FormName(), string(text))
		}
	}
	return nil, nil, sett.Errorf(sett.TooLarge, "These are too many files at once. Choose fewer, and submit the form again.")
}

// mostFileParts is how many parts of a form ReadFiles looks at.
const mostFileParts = 120
