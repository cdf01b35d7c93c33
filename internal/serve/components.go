package serve

import (
	"reflect"

	"sett/internal/sett"
)

// internal is the code of errors that are not the client's.
const internal = sett.Code("")

// everyCode lists the codes in the order of their statuses.
func everyCode() []sett.Code {
	return []sett.Code{
		sett.Malformed, sett.Unauthenticated, sett.Forbidden, sett.NotFound, sett.MethodNotAllowed, sett.TooSlow, sett.Conflict,
		sett.TooLarge, sett.Invalid, sett.TooMany, internal, sett.Unavailable,
	}
}

// meaning says in one sentence when an answer has the code.
func meaning(code sett.Code) string {
	switch code {
	case sett.Malformed:
		return "The request body is missing or is not JSON."
	case sett.Unauthenticated:
		return "The credentials are missing or wrong."
	case sett.Forbidden:
		return "The user is not allowed to do this, or has reached the limit of requests per hour."
	case sett.NotFound:
		return "It does not exist, or the user cannot see it."
	case sett.MethodNotAllowed:
		return "The method is not allowed; the header Allow lists the allowed ones."
	case sett.TooSlow:
		return "The request body did not arrive in time."
	case sett.Conflict:
		return "The object was changed by another request."
	case sett.TooLarge:
		return "The request body is too large."
	case sett.Invalid:
		return "A field or parameter is not valid; the message names each one."
	case sett.TooMany:
		return "Too many requests, or a quota is used up. The header Retry-After contains the time to wait."
	case sett.Unavailable:
		return "Temporarily unavailable. The header Retry-After contains the time to wait."
	default:
		return "Internal error. The message contains the request id to report."
	}
}

func (d *document) components() object {
	responses := object{}
	for _, code := range everyCode() {
		responses[errorName(Status(code), false)] = d.errorResponse(code, errorBody{}, true)
		responses[errorName(Status(code), true)] = d.errorResponse(code, reportErrorBody{}, false)
	}
	return object{
		"schemas":         d.schemas.components,
		"responses":       responses,
		"headers":         sharedHeaders(),
		"securitySchemes": securitySchemes(),
	}
}

func (d *document) errorResponse(code sett.Code, body any, limited bool) object {
	names := []string{"X-Request-Id"}
	if limited {
		names = append(names, rateLimitHeaders()...)
	}
	switch code {
	case sett.Unauthenticated:
		names = append(names, "WWW-Authenticate")
	case sett.MethodNotAllowed:
		names = append(names, "Allow")
	case sett.TooMany, sett.Unavailable:
		names = append(names, "Retry-After")
	}
	return object{
		"description": meaning(code),
		"headers":     headerRefs(names),
		"content":     jsonContent(d.schemas.of(reflect.TypeOf(body))),
	}
}

func headerRefs(names []string) object {
	refs := object{}
	for _, name := range names {
		refs[name] = object{"$ref": "#/components/headers/" + name}
	}
	return refs
}

func rateLimitHeaders() []string {
	return []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}
}

func sharedHeaders() object {
	header := func(kind, doc string) object {
		return object{"description": doc, "schema": object{"type": kind}}
	}
	return object{
		"X-Request-Id":          header("string", "Id of this request in the log of the server."),
		"X-RateLimit-Limit":     header("integer", "Requests allowed per hour."),
		"X-RateLimit-Remaining": header("integer", "Remaining requests in this hour."),
		"X-RateLimit-Reset":     header("integer", "Time at which the limit resets, in Unix seconds."),
		"WWW-Authenticate":      header("string", "Authentication scheme."),
		"Allow":                 header("string", "The allowed methods."),
		"Retry-After":           header("integer", "Seconds to wait before the next attempt."),
	}
}

func securitySchemes() object {
	return object{
		"token": object{
			"type": "http", "scheme": "basic",
			"description": "A personal token as the user name, with an empty password.",
		},
		"bearer": object{"type": "http", "scheme": "bearer", "description": "The same personal token."},
		"projectKey": object{
			"type": "apiKey", "in": "header", "name": "X-API-Key",
			"description": "The API key of a project, for clients that report.",
		},
	}
}
