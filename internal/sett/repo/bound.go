package repo

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What is kept of what a host says at most: bytes of texts, and numbers of items.
const (
	MostName    = 200
	MostBranch  = 500
	MostTitle   = 1_000
	MostText    = 64 << 10 // of the description of a change, and the message of a commit
	MostPath    = 1_000
	MostAddress = 2_000
	MostFiles   = 3_000 // of a commit
)

// Text returns a text without control characters but tabs and ends of lines, cut at a rune.
func Text(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// OneLine is Text on one line.
func OneLine(s string, most int) string {
	return strings.TrimSpace(strings.NewReplacer("\n", " ", "\t", " ").Replace(Text(s, most)))
}

// SHA returns the id of a commit in lower case, which may be shortened; "" for what is none, and for the zeros that stand for no commit.
func SHA(s string) string {
	if len(s) < 7 || len(s) > 64 || strings.Trim(s, "0") == "" {
		return ""
	}
	for _, c := range s {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return ""
		}
	}
	return strings.ToLower(s)
}

// Address returns an address that a page can link to; "" for any other.
func Address(s string) string {
	u, err := url.Parse(s)
	if err != nil || len(s) > MostAddress || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
		return ""
	}
	return u.String()
}

// Email returns an email address; "" for what a host writes in its place.
func Email(s string) string {
	s = OneLine(s, MostName)
	if !strings.Contains(s, "@") || strings.ContainsAny(s, " <>") {
		return ""
	}
	return s
}

// Bounded returns a commit as it may be stored and shown, whatever the host wrote. Its files are nil if there are too many to keep.
func (c Commit) Bounded() Commit {
	c.SHA, c.URL, c.Email = SHA(c.SHA), Address(c.URL), Email(c.Email)
	c.Message, c.Author = Text(c.Message, MostText), OneLine(c.Author, MostName)
	if c.Files == nil {
		return c
	}
	files := make([]string, 0, len(c.Files))
	for _, f := range c.Files {
		if f = OneLine(f, MostPath); f != "" {
			files = append(files, f)
		}
	}
	if c.Files = files; len(files) > MostFiles {
		c.Files = nil
	}
	return c
}

// Bounded returns a change as it may be stored and shown, whatever the host wrote.
func (c Change) Bounded() Change {
	c.Title, c.Body, c.URL = OneLine(c.Title, MostTitle), Text(c.Body, MostText), Address(c.URL)
	c.Branch, c.Target = OneLine(c.Branch, MostBranch), OneLine(c.Target, MostBranch)
	c.HeadSHA, c.MergeSHA = SHA(c.HeadSHA), SHA(c.MergeSHA)
	c.Author, c.Email = OneLine(c.Author, MostName), Email(c.Email)
	return c
}
