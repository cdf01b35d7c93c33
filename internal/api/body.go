package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"sett/internal/serve"
	"sett/internal/sett"
)

// readInside reads the body of a request and returns the object in its member of the given name, which is a field of body.
// The example is such an object, for the error message.
func readInside[T any](w http.ResponseWriter, r *http.Request, body any, member *sett.Optional[T], name, example string) (T, error) {
	value, _, err := readNamed(w, r, body, member, name, example)
	return value, err
}

// readOwn is readInside for a resource that the contract does not have: a field that it has not, not even to read, is refused.
// A view is what clients read of it and may send back.
func readOwn[T any](w http.ResponseWriter, r *http.Request, body any, member *sett.Optional[T], name, example string, view any) (T, error) {
	value, ignored, err := readNamed(w, r, body, member, name, example)
	if err != nil {
		return value, err
	}
	var problems sett.Problems
	for _, field := range ignored {
		inner := strings.TrimPrefix(field, name+".")
		top, _, _ := strings.Cut(inner, ".")
		if !slices.Contains(serve.MemberNames(view), strings.TrimSuffix(top, "[]")) {
			problems.Add(fmt.Sprintf("%.60q", inner), "is unknown")
		}
	}
	return value, problems.Refusal()
}

// decodeOwn reads the body of a request that the contract does not have, and refuses fields that it does not take.
func decodeOwn(w http.ResponseWriter, r *http.Request, body any) error {
	ignored, err := serve.DecodeBody(w, r, body)
	if err != nil {
		return err
	}
	var problems sett.Problems
	for _, field := range ignored {
		problems.Add(fmt.Sprintf("%.60q", field), "is unknown")
	}
	return problems.Refusal()
}

func readNamed[T any](w http.ResponseWriter, r *http.Request, body any, member *sett.Optional[T], name, example string) (value T, ignored []string, err error) {
	if ignored, err = serve.DecodeBody(w, r, body); err != nil {
		return value, nil, err
	}
	var problems sett.Problems
	sett.CheckSent(&problems, name, *member, fmt.Sprintf("an object that contains the fields, as in {%q: %s}", name, example))
	return member.Value, ignored, problems.Refusal()
}
