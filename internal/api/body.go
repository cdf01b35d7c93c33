package api

import (
	"fmt"
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
)

// readInside reads the body of a request and returns the object in its member of the given name, which is a field of body.
// The example is such an object, for the error message.
func readInside[T any](w http.ResponseWriter, r *http.Request, body any, member *sett.Optional[T], name, example string) (T, error) {
	if err := serve.DecodeJSON(w, r, body); err != nil {
		var none T
		return none, err
	}
	var problems sett.Problems
	sett.CheckSent(&problems, name, *member, fmt.Sprintf("an object that contains the fields, as in {%q: %s}", name, example))
	return member.Value, problems.Refusal()
}
