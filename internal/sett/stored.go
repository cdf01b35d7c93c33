package sett

import (
	"encoding/json"
	"reflect"
)

// ReadStored returns what StoredText made a text of. A text of a later version, or of none, stands for the zero value.
func ReadStored[T any](text string) (v T) {
	if json.Unmarshal([]byte(text), &v) != nil {
		var none T
		return none
	}
	return v
}

// StoredText returns a value that is made of texts, numbers and times as it is stored, in JSON; "" for the zero value.
func StoredText[T any](v T) string {
	if reflect.ValueOf(v).IsZero() {
		return ""
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic("sett: texts cannot be written as JSON: " + err.Error())
	}
	return string(text)
}
