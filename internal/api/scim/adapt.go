package scim

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/elimity-com/scim/schema"

	"sett/internal/sett"
)

// What sett keeps of people and groups. Directories send more, which is left out.
var (
	userAttributes  = []string{"userName", "name", "displayName", "emails", "active"}
	groupAttributes = []string{"displayName", "members"}
)

// externalID is an attribute of both.
const externalID = "externalId"

// adapt rewrites a request of a directory as the standard has it. Providers differ from it: Entra ID sends "False" for false and wraps texts
// in lists, unless its address ends in ?aadOptscim062020; both change attributes that sett does not have.
func adapt(r *http.Request) error {
	known := userAttributes
	if strings.HasPrefix(r.URL.Path, Path+"/Groups") {
		known = groupAttributes
	}
	adaptFilter(r)
	if r.Method != http.MethodPost && r.Method != http.MethodPut && r.Method != http.MethodPatch {
		return nil
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	var body map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil {
		return sett.Errorf(sett.Malformed, "The body must be a JSON object.")
	}
	body, _ = tidy("", body).(map[string]any)
	if r.Method == http.MethodPatch {
		adaptPatch(body, known)
	}
	if text, err = json.Marshal(body); err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	return nil
}

// oldMember is how Entra ID asks whether a person is in a group.
var oldMember = regexp.MustCompile(`(?i)\bmembers eq\b`)

func adaptFilter(r *http.Request) {
	query := r.URL.Query()
	if filter := query.Get("filter"); filter != "" {
		query.Set("filter", oldMember.ReplaceAllString(filter, "members.value eq"))
		r.URL.RawQuery = query.Encode()
	}
}

// tidy leaves out members that are null, and makes booleans of the texts that Entra ID sends in their place.
func tidy(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if inner == nil {
				delete(v, key)
				continue
			}
			v[key] = tidy(key, inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = tidy(name, inner)
		}
	case string:
		if strings.EqualFold(name, "active") || strings.EqualFold(name, "primary") {
			return truth(v)
		}
	}
	return value
}

func truth(text string) any {
	switch strings.ToLower(text) {
	case "true":
		return true
	case "false":
		return false
	}
	return text
}

// adaptPatch leaves out operations on attributes that sett does not have. If none is left, the answer is the resource as it is.
func adaptPatch(body map[string]any, known []string) {
	key := "Operations"
	for name := range body {
		if strings.EqualFold(name, key) {
			key = name
		}
	}
	list, _ := body[key].([]any)
	var kept []any
	for _, each := range list {
		op, ok := each.(map[string]any)
		if !ok || adaptOperation(op, known) {
			kept = append(kept, each)
		}
	}
	if kept == nil && list != nil {
		kept = []any{map[string]any{"op": "add", "value": map[string]any{}}}
	}
	delete(body, key)
	body["Operations"] = kept
}

// adaptOperation rewrites an operation, and reports whether it concerns anything that sett has.
func adaptOperation(op map[string]any, known []string) bool {
	path, _ := op["path"].(string)
	value, has := op["value"]
	if path == "" {
		attributes, ok := value.(map[string]any)
		if !ok {
			return true // the library refuses it
		}
		for name, inner := range attributes {
			root := rootOf(name)
			if !slices.ContainsFunc(append(slices.Clone(known), externalID), func(k string) bool { return strings.EqualFold(k, root) }) {
				delete(attributes, name)
				continue
			}
			attributes[name] = unwrap(root, inner)
		}
		return true
	}
	root := rootOf(path)
	if !slices.ContainsFunc(append(slices.Clone(known), externalID), func(k string) bool { return strings.EqualFold(k, root) }) {
		return false
	}
	if has {
		op["value"] = unwrap(lastOf(path), value)
	} else if name, _ := op["op"].(string); !strings.EqualFold(name, "remove") {
		op["op"] = "remove" // an empty value, which Entra ID writes as null
	}
	return true
}

// unwrap returns a single value that comes as a list of one object, and makes booleans of texts.
func unwrap(name string, value any) any {
	if strings.EqualFold(name, "emails") || strings.EqualFold(name, "members") || strings.EqualFold(name, "name") {
		return value
	}
	if list, ok := value.([]any); ok && len(list) == 1 {
		value = list[0]
	}
	if object, ok := value.(map[string]any); ok {
		if inner, ok := object["value"]; ok {
			value = inner
		}
	}
	return tidy(name, value)
}

// rootOf returns the attribute that a path is about; "" for one of an extension.
func rootOf(path string) string {
	for _, id := range []string{schema.UserSchema, schema.GroupSchema} {
		if len(path) > len(id) && strings.EqualFold(path[:len(id)], id) && path[len(id)] == ':' {
			path = path[len(id)+1:]
		}
	}
	if strings.HasPrefix(strings.ToLower(path), "urn:") {
		return ""
	}
	if i := strings.IndexAny(path, ".["); i >= 0 {
		path = path[:i]
	}
	return strings.TrimSpace(path)
}

// lastOf returns the last name of a path.
func lastOf(path string) string {
	if i := strings.LastIndexAny(path, ".:"); i >= 0 && !strings.HasSuffix(path, "]") {
		return path[i+1:]
	}
	return rootOf(path)
}
