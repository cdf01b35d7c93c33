package sentry

import (
	"net/url"
	"strings"

	"sett/internal/ingest/notice"
	"sett/internal/sett"
	"sett/internal/sett/scan"
)

// maxReports is how many reports of one request are read.
const maxReports = 100

// SecurityQuery is what is known of a report beside its body.
type SecurityQuery struct{ Environment, Release, UserAgent, Address string }

// violation is what a browser reports of a page that was kept from loading something.
type violation struct {
	document, referrer, directive, blocked, source, disposition string
	line, column                                                int
	all                                                         notice.JSON
}

// ReadSecurityReports reads reports of Content Security Policy, in the form of report-uri or of the Reporting API. Reports of other kinds
// are skipped. The error is Malformed if the body is not JSON, Invalid if it is neither.
func ReadSecurityReports(body []byte, q SecurityQuery) (notices []notice.Notice, err error) {
	s := scan.New(textOf(body))
	var found []violation
	known := true
	switch s.Peek() {
	case '{':
		found, known = readReportURI(&s)
	case '[':
		found = readReportTo(&s)
	default:
		known = false
		s.Value()
	}
	if err := s.End(); err != nil {
		return nil, err
	}
	if !known {
		return nil, sett.Errorf(sett.Invalid, "The report must be an object with csp-report, or an array of reports of the Reporting API.")
	}
	for i := range found[:min(len(found), maxReports)] {
		notices = append(notices, found[i].notice(q))
	}
	return notices, nil
}

// readReportURI reads an object with a report as csp-report.
func readReportURI(s *scan.Scanner) (found []violation, known bool) {
	for key := range s.Members {
		if key != "csp-report" {
			s.Value()
			continue
		}
		known = true
		found = append(found, readViolation(s))
	}
	return found, known
}

// readReportTo reads an array of reports of several kinds.
func readReportTo(s *scan.Scanner) (found []violation) {
	for range s.Elements {
		var v violation
		kind := ""
		for key := range s.Members {
			switch key {
			case "type":
				kind = scalar(s)
			case "body":
				v = readViolation(s)
			default:
				s.Value()
			}
		}
		if kind == "csp-violation" {
			found = append(found, v)
		}
	}
	return found
}

// readViolation reads a report, whose names have dashes or capitals.
func readViolation(s *scan.Scanner) (v violation) {
	v.all = notice.JSON(s.Value())
	inside := scan.New(string(v.all))
	var violated string
	for key := range inside.Members {
		switch key {
		case "document-uri", "documentURL":
			v.document = scalar(&inside)
		case "referrer":
			v.referrer = scalar(&inside)
		case "effective-directive", "effectiveDirective":
			v.directive = scalar(&inside)
		case "violated-directive":
			violated, _, _ = strings.Cut(scalar(&inside), " ")
		case "blocked-uri", "blockedURL":
			v.blocked = scalar(&inside)
		case "source-file", "sourceFile":
			v.source = scalar(&inside)
		case "disposition":
			v.disposition = scalar(&inside)
		case "line-number", "lineNumber":
			v.line = position(&inside)
		case "column-number", "columnNumber":
			v.column = position(&inside)
		default:
			inside.Value()
		}
	}
	if v.directive == "" {
		v.directive = violated
	}
	return v
}

func (v *violation) notice(q SecurityQuery) notice.Notice {
	n := notice.Notice{
		Class:       "CSP violation",
		Message:     "Blocked " + v.origin(),
		Component:   v.directive,
		URL:         v.document,
		Environment: q.Environment,
		Revision:    q.Release,
		CGI:         append(append(notice.TextMember("HTTP_USER_AGENT", q.UserAgent), notice.TextMember("HTTP_REFERER", v.referrer)...), notice.TextMember("REMOTE_ADDR", q.Address)...),
		Notifier:    notice.Notifier{Name: "browser", Language: "javascript"},
	}
	if v.disposition == "report" {
		n.Message = "Would have blocked " + v.origin()
	}
	if v.source != "" {
		n.Backtrace = []notice.Frame{{File: v.source, Line: v.line, Column: v.column, Context: "all"}}
	}
	if len(v.all) > 0 && v.all[0] == '{' {
		n.Context = []notice.Member{{Key: "report", Value: v.all}}
	}
	return n
}

// origin returns what was blocked: the host of an address, or a word such as inline.
func (v *violation) origin() string {
	if u, err := url.Parse(v.blocked); err == nil && u.Host != "" {
		return u.Host
	}
	if v.blocked == "" {
		return "inline"
	}
	scheme, _, _ := strings.Cut(v.blocked, ":")
	return scheme
}
