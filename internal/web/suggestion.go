package web

import (
	"net/http"

	"sett/internal/serve"
)

// Suggestion is a text that completes what is typed, and a few words about it.
type Suggestion [2]string

// suggestions is the answer to a script that completes a field with data-suggest.
type suggestions struct {
	Typed string       `json:"typed"` // what stands before the cursor, and is replaced
	Texts []Suggestion `json:"texts"`
}

// Suggest answers with what completes what is typed before the cursor.
func Suggest(w http.ResponseWriter, typed string, all []Suggestion) error {
	return serve.WriteJSON(w, http.StatusOK, suggestions{typed, append([]Suggestion{}, all...)})
}
