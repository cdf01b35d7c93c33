package apiv3

import (
	"fmt"
	"net/http"
	"strings"

	"sett/internal/serve"
	"sett/internal/sett"
)

// failure is an error that has a code of /v3.
type failure struct {
	status  int
	code    string
	message string
	details any
}

func (f *failure) Error() string { return f.message }

func coded(status int, code, format string, args ...any) *failure {
	return &failure{status: status, code: code, message: fmt.Sprintf(format, args...)}
}

// failureBody is the body of every error.
type failureBody struct {
	Error failureInfo `json:"error"`
	Meta  meta        `json:"meta"`
}

type failureInfo struct {
	Code    string `json:"code" doc:"What kind of error it is; new codes may be added."`
	Message string `json:"message" doc:"The problem and how to fix it."`
	Details any    `json:"details,omitempty" doc:"A list of fields and what is wrong with them, or an object."`
}

// fieldProblem says what is wrong with a field.
type fieldProblem struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// codeOf is the code of errors that handlers of /v2 return.
func codeOf(code sett.Code) string {
	switch code {
	case sett.Malformed, sett.TooLarge, sett.TooSlow:
		return "invalid_parameter"
	case sett.Unauthenticated:
		return "unauthorized"
	case sett.Forbidden:
		return "access_denied"
	case sett.NotFound, sett.MethodNotAllowed:
		return "not_found"
	case sett.Conflict, sett.Invalid:
		return "validation_error"
	case sett.TooMany:
		return "rate_limit_exceeded"
	default:
		return "service_unavailable"
	}
}

// explained makes a failure of any error.
func explained(r *http.Request, err error) (*failure, *sett.Error) {
	if f, ok := err.(*failure); ok { //nolint:errorlint // made here and handed on as it is
		return f, &sett.Error{}
	}
	e := serve.Explain(r, err)
	f := coded(serve.Status(e.Code), codeOf(e.Code), "%s", e.Message)
	if problems := sett.ProblemsOf(err); len(problems) > 0 {
		f.details = problemsOf(problems)
	}
	return f, e
}

func problemsOf(problems sett.Problems) (all []fieldProblem) {
	for _, p := range problems {
		field, message, _ := strings.Cut(p, " ")
		all = append(all, fieldProblem{field, message})
	}
	return all
}

// writeError answers with an error.
func writeError(w http.ResponseWriter, r *http.Request, err error) error {
	f, e := explained(r, err)
	switch {
	case f.code == "insufficient_scope":
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope"`)
	case f.status == http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	serve.SetRetryAfter(w.Header(), e)
	return serve.WriteJSON(w, f.status, failureBody{failureInfo{f.code, f.message, f.details}, meta{serve.RequestID(r.Context())}})
}

// invalidParameter makes a refusal of query parameters of one of fields.
func invalidParameter(problems sett.Problems) error {
	if len(problems) == 0 {
		return nil
	}
	f := coded(http.StatusBadRequest, "invalid_parameter", "Please correct: %s.", strings.Join(problems, "; "))
	f.details = problemsOf(problems)
	return f
}
