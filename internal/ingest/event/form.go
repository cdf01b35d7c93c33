package event

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"
)

// noticeFields are the fields of a form that may hold a notice; the first that is there counts.
var noticeFields = [...]string{"payload", "notice", "data"}

// OpenForm returns the notice in a body that is a form, and the field api_key (wire.md §2.1); both are empty where the
// form lacks them. Any other body is returned as it is. So is one that begins like an object: curl calls everything that
// it sends a form.
func OpenForm(contentType string, body []byte) (notice []byte, key string) {
	fields, ok := FormFields(contentType, body)
	if !ok {
		return body, ""
	}
	for _, name := range noticeFields {
		if fields.Has(name) {
			return []byte(fields.Get(name)), strings.TrimSpace(fields.Get("api_key"))
		}
	}
	return nil, strings.TrimSpace(fields.Get("api_key"))
}

// FormFields returns the fields of a body that is a form, and whether it is one.
func FormFields(contentType string, body []byte) (fields url.Values, ok bool) {
	if start := bytes.TrimLeft(body, " \t\r\n\uFEFF"); len(start) == 0 || start[0] == '{' {
		return nil, false
	}
	switch kind, params, _ := mime.ParseMediaType(contentType); kind {
	case "application/x-www-form-urlencoded":
		return ParseQuery(string(body)), true
	case "multipart/form-data":
		return partsOf(multipart.NewReader(bytes.NewReader(body), params["boundary"])), true
	default:
		return nil, false
	}
}

// ParseQuery returns the fields of a form or query; what is broken is left out. Go takes no bare semicolon, which is a
// character like others (URL Standard §5.1).
func ParseQuery(text string) url.Values {
	fields, _ := url.ParseQuery(strings.ReplaceAll(text, ";", "%3B"))
	return fields
}

// partsOf returns the fields of a form in parts, and the content of its files under the names of their fields. A broken
// form has none.
func partsOf(r *multipart.Reader) url.Values {
	form, err := r.ReadForm(MaxInflated) // a body is never longer, so that nothing is written to disk
	if err != nil {
		return nil
	}
	fields := url.Values(form.Value)
	for name, files := range form.File {
		if content, err := readFile(files[0]); err == nil {
			fields.Add(name, content)
		}
	}
	return fields
}

func readFile(h *multipart.FileHeader) (string, error) {
	f, err := h.Open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	return string(content), err
}
