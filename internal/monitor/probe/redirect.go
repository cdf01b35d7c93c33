package probe

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sett/internal/sett/checks"
)

// longestShownTarget is how much of an address a reason shows, in bytes.
const longestShownTarget = 200

// redirects is the ability to follow them, which sett 0.10 does not have.
const redirects = "redirects"

// redirectAbility returns that ability if a check needs it.
func redirectAbility(r checks.ProbeRequest) []string {
	if r.FollowRedirects {
		return []string{redirects}
	}
	return nil
}

// isRedirect reports whether a response with that status says that the page is at another address.
func isRedirect(status int) bool { return slices.Contains([]int{301, 302, 303, 307, 308}, status) }

// follows reports whether the check goes on at another address after a response with that status. A status that the check
// wants is what it looked for.
func follows(r checks.ProbeRequest, status int) bool {
	wanted := r.MatchType == checks.MatchExact && r.MatchType.StatusProblem(r.Match, status) == ""
	return r.FollowRedirects && isRedirect(status) && !wanted
}

// redirected returns the request to which a response with that status leads. What lets the check in stays with the host that
// it is for, and never leaves encryption.
func redirected(r checks.ProbeRequest, status int, to *url.URL) checks.ProbeRequest {
	from, err := url.Parse(r.URL)
	target := *to
	target.Fragment, target.RawFragment = "", ""
	trusted := err == nil && isSameSite(from, &target)
	if trusted && target.User == nil {
		target.User = from.User
	}
	r.URL = target.String()
	r.Headers = slices.DeleteFunc(slices.Clone(r.Headers), func(h checks.ProbeHeader) bool {
		return !trusted && (checks.IsSecretHeader(h.Key) || strings.EqualFold(h.Key, "Host"))
	})
	if dropsBody(r.Method, status) {
		r.Method, r.Body = http.MethodGet, ""
		r.Headers = slices.DeleteFunc(r.Headers, func(h checks.ProbeHeader) bool { return strings.HasPrefix(strings.ToLower(h.Key), "content-") })
	}
	return r
}

// isSameSite reports whether credentials for one address may be sent to another.
func isSameSite(from, to *url.URL) bool {
	samePort := from.Port() == to.Port() && (from.Scheme == to.Scheme || from.Port() == "")
	return strings.EqualFold(from.Hostname(), to.Hostname()) && samePort && (from.Scheme == "http" || to.Scheme == "https")
}

// dropsBody reports whether a redirect makes a GET of another method, as browsers do (RFC 9110 §15.4).
func dropsBody(method string, status int) bool {
	switch status {
	case http.StatusSeeOther:
		return true
	case http.StatusMovedPermanently, http.StatusFound:
		return method == http.MethodPost
	}
	return false
}

// shownTarget returns where a redirect leads, as reasons name it.
func shownTarget(to *url.URL) string {
	shown := checks.ShownAddress(to.String())
	if len(shown) > longestShownTarget {
		shown = strings.ToValidUTF8(shown[:longestShownTarget], "") + "…"
	}
	return shown
}

// redirectAdvice follows the reason of a check that has failed at a redirect.
func redirectAdvice(to *url.URL) string {
	return fmt.Sprintf(", a redirect to %s -- enter that URL, or let the site follow redirects", shownTarget(to))
}
