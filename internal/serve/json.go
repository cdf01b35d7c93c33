package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"sett/internal/sett"
)

// maxJSON is how large a JSON request body may be, in bytes.
const maxJSON = 1 << 20

const wantObject = "Send a JSON object in the request body."

// DecodeJSON reads the request body, one JSON object of at most 1 MiB, into dst. Unknown fields are ignored. Invalid JSON or
// UTF-8 is Malformed, and the message gives the position; JSON of the wrong shape, or with text that cannot be stored as
// sent, is Invalid, and the message names the field or text; a larger body is too large.
func DecodeJSON(w http.ResponseWriter, r *http.Request, dst any) error {
	_, err := decodeJSON(w, r, dst)
	return err
}

// decodeJSON also returns the body.
func decodeJSON(w http.ResponseWriter, r *http.Request, dst any) ([]byte, error) {
	data, err := readJSON(w, r)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, dst); err != nil {
		return nil, explainJSON(data, err)
	}
	return data, checkShape(data)
}

func readJSON(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxJSON))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge || sett.CodeOf(err) != "" {
		return nil, err
	}
	if err != nil {
		return nil, sett.Errorf(sett.Malformed, "The request body is incomplete. Send it again.")
	}
	if len(bytes.TrimLeft(data, jsonSpace)) == 0 {
		return nil, sett.Errorf(sett.Malformed, "The request body is empty. %s", wantObject)
	}
	if !utf8.Valid(data) {
		return nil, sett.Errorf(sett.Malformed, "The request body is not valid UTF-8: see byte %d. Send JSON in UTF-8.", sett.FirstInvalid(data)+1)
	}
	return data, nil
}

const jsonSpace = " \t\r\n"

func isObject(data []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(data, jsonSpace), []byte("{")) }

func notAnObject() error {
	return sett.Errorf(sett.Invalid, "The request body is not a JSON object. %s", wantObject)
}

// checkShape refuses what json.Unmarshal lets pass: null, which changes nothing; NUL, which no database can store as
// text; and half a surrogate pair, which would become another character.
func checkShape(data []byte) error {
	if !isObject(data) {
		return notAnObject()
	}
	switch escape := strayEscape(data); escape {
	case "":
		return nil
	case `\u0000`:
		return sett.Errorf(sett.Invalid, `The request body contains the character \u0000, which cannot be stored. Remove it.`)
	default:
		return sett.Errorf(sett.Invalid, "The request body contains %s, which is half of a surrogate pair. Send the complete pair, or remove it.", escape)
	}
}

// strayEscape returns the first escape in valid JSON that stands for no character that can be stored – NUL, or a
// surrogate that is not in a pair (RFC 8259 §8.2) – as it is written there, or "".
func strayEscape(data []byte) string {
	const length = len(`\u0000`)
	for rest := data; ; {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 {
			return ""
		}
		if rest = rest[i:]; rest[1] != 'u' {
			rest = rest[2:]
			continue
		}
		escape := rest[:length]
		rest = rest[length:]
		switch r := escaped(escape); {
		case r == 0:
			return string(escape)
		case !utf16.IsSurrogate(r):
		case len(rest) >= length && utf16.DecodeRune(r, escaped(rest[:length])) != utf8.RuneError:
			rest = rest[length:]
		default:
			return string(escape)
		}
	}
}

// escaped is the code unit of an escape such as \u0041, or -1 if text is not one.
func escaped(text []byte) rune {
	digits, ok := bytes.CutPrefix(text, []byte(`\u`))
	if !ok {
		return -1
	}
	unit, err := strconv.ParseUint(string(digits), 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}

func explainJSON(data []byte, err error) error {
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return sett.Errorf(sett.Malformed, "The request body is not valid JSON: %s.", syntaxProblem(data, e))
	}
	if !isObject(data) {
		return notAnObject()
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && e.Field != "" {
		return sett.Refuse(e.Field, "must be %s", aValueOf(e.Type))
	}
	return sett.Errorf(sett.Invalid, "A value in the request body has the wrong type. Compare it with the documentation.")
}

// syntaxProblem says where reading stopped. Offset counts the bytes read, so the culprit is the one before it.
func syntaxProblem(data []byte, e *json.SyntaxError) string {
	at := int(e.Offset) - 1
	if at < 0 || at >= len(data) || strings.Contains(e.Error(), "unexpected end") {
		return "it ends too early"
	}
	line := 1 + bytes.Count(data[:at], []byte("\n"))
	column := at - bytes.LastIndexByte(data[:at], '\n')
	culprit, _ := utf8.DecodeRune(data[at:])
	return fmt.Sprintf("unexpected %q at line %d, column %d", culprit, line, column)
}

// aValueOf names the JSON value that a field of type t takes, such as "an integer".
func aValueOf(t reflect.Type) string {
	switch word := jsonType(t); word {
	case "boolean":
		return "true or false"
	case "integer", "array", "object":
		return "an " + word
	case "":
		return "of another type"
	default:
		return "a " + word
	}
}

// jsonType is the JSON Schema type of the values that encoding/json reads into t, or "" when there are several.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "integer"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.String:
		return "string"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Map, reflect.Struct:
		return "object"
	default:
		return ""
	}
}

// typeJSON is shared by all responses and never modified.
var typeJSON = []string{"application/json; charset=utf-8"}

// WriteJSON responds with status and v as JSON. An error means that v cannot be encoded, and that nothing has been written;
// a client that has disconnected is not an error.
func WriteJSON(w http.ResponseWriter, status int, v any) error {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode response: %w", err)
	}
	w.Header()["Content-Type"] = typeJSON
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes())
	return nil
}
