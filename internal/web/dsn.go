package web

import (
	"strconv"
	"strings"
)

// SentryDSN returns the DSN with which a Sentry SDK reports to a project, such as "https://KEY@sett.example.org/7". reportURL is the URL
// that clients report to.
func SentryDSN(reportURL, key string, project int64) string {
	scheme, rest, _ := strings.Cut(reportURL, "://")
	return scheme + "://" + key + "@" + strings.TrimSuffix(rest, "/") + "/" + strconv.FormatInt(project, 10)
}
