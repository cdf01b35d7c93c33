package web

import (
	"net/url"

	"sett/internal/event/payload"
)

// AffectedUserPath is the path of the page of an affected user.
const AffectedUserPath = "/affected_users"

// longestUser is how many characters of a user are in URLs: more than are compared, which are payload.MaxFacetText bytes.
const longestUser = 300

// AffectedUser returns the path of the page of the user with an ID, email address or name, or "" if that is blank.
func AffectedUser(user string) string {
	if user = UserText(user); user == "" {
		return ""
	}
	return AffectedUserPath + "?" + url.Values{"user": {user}}.Encode()
}

// UserText returns an ID, email address or name as URLs have it; "" if it is blank.
func UserText(user string) string {
	user = payload.UserText(user)
	n := 0
	for i := range user {
		if n == longestUser {
			return payload.UserText(user[:i])
		}
		n++
	}
	return user
}
