package sentry

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"sett/internal/ingest/notice"
	"sett/internal/sett/scan"
)

// request is the HTTP request during which an event happened.
type request struct {
	url, method, query string
	data               notice.JSON
	cookies            string
	headers, env       []notice.Member // all values are texts
}

// emptied returns a request without content, with the memory of this one.
func (r *request) emptied() request { return request{headers: emptied(r.headers), env: emptied(r.env)} }

func (r *request) read(s *scan.Scanner) {
	for key := range s.Members {
		switch key {
		case "url":
			r.url = scalar(s)
		case "method":
			r.method = scalar(s)
		case "query_string":
			r.readQuery(s)
		case "data":
			r.data = notice.JSON(s.Value())
		case "cookies":
			r.cookies = readCookies(s)
		case "headers":
			pairs(s, func(key string) { r.addHeader(key, s) })
		case "env":
			pairs(s, func(key string) { r.env = appendText(r.env, key, quotedScalar(s)) })
		default:
			s.Value()
		}
	}
}

func (r *request) addHeader(name string, s *scan.Scanner) {
	var value notice.JSON
	if s.Peek() == '[' {
		value = notice.Text(scalarOrFirst(s))
	} else {
		value = quotedScalar(s)
	}
	r.headers = appendText(r.headers, variableOf(name), value)
}

// variableOf returns the name that a header has as a variable of CGI.
func variableOf(header string) string {
	const prefix = "HTTP_"
	var room [64]byte
	name := append(room[:0], prefix...)
	for i := range len(header) {
		c := header[i]
		switch {
		case c >= utf8.RuneSelf:
			return prefix + strings.ToUpper(strings.ReplaceAll(header, "-", "_"))
		case c == '-':
			c = '_'
		case 'a' <= c && c <= 'z':
			c -= 'a' - 'A'
		}
		name = append(name, c)
	}
	return string(name)
}

// appendText adds a member whose value is a text as JSON, unless it is empty.
func appendText(all []notice.Member, key string, text notice.JSON) []notice.Member {
	if text == "" || text == `""` {
		return all
	}
	return append(all, notice.Member{Key: key, Value: text})
}

// scalarOrFirst returns a text, or the texts of an array with commas between them.
func scalarOrFirst(s *scan.Scanner) string {
	if s.Peek() == '[' {
		return strings.Join(texts(s), ", ")
	}
	return scalar(s)
}

// readQuery reads a query, which is a text, an object or an array of pairs.
func (r *request) readQuery(s *scan.Scanner) {
	if c := s.Peek(); c != '{' && c != '[' {
		r.query = strings.TrimPrefix(scalar(s), "?")
		return
	}
	values := url.Values{}
	pairs(s, func(key string) { values.Add(key, scalarOrFirst(s)) })
	r.query = values.Encode()
}

// readCookies returns cookies as the header has them.
func readCookies(s *scan.Scanner) string {
	if c := s.Peek(); c != '{' && c != '[' {
		return scalar(s)
	}
	var all []string
	pairs(s, func(key string) { all = append(all, key+"="+scalar(s)) })
	return strings.Join(all, "; ")
}

// address returns the URL with its query, which some clients send apart.
func (r *request) address() string {
	if r.query == "" || r.url == "" || strings.Contains(r.url, "?") {
		return r.url
	}
	path, fragment, found := strings.Cut(r.url, "#")
	if path += "?" + r.query; found {
		path += "#" + fragment
	}
	return path
}

// maxParams is how many parameters of a query or form are taken apart.
const maxParams = 1000

// params returns the parameters of the query and of the body in one object.
func (m *Reader) params() notice.JSON {
	r, start := &m.event.request, len(m.members)
	query := r.query
	if query == "" {
		_, query, _ = strings.Cut(r.url, "?")
		query, _, _ = strings.Cut(query, "#")
	}
	m.members = appendQuery(m.members, query)
	switch data := strings.TrimSpace(string(r.data)); {
	case data == "" || data == "null":
	case data[0] == '{':
		m.members = appendMembers(m.members, data)
	case data[0] == '"':
		m.members = appendTextData(m.members, data)
	default:
		m.members = append(m.members, notice.Member{Key: "data", Value: r.data})
	}
	return notice.Object(unique(m.members[start:]))
}

// appendTextData adds the parameters in a body that was sent as text.
func appendTextData(all []notice.Member, data string) []notice.Member {
	s := scan.New(data)
	text := strings.TrimSpace(s.Text())
	if strings.HasPrefix(text, "{") {
		inside := scan.New(text)
		if inside.Value(); inside.End() == nil {
			return appendMembers(all, text)
		}
	}
	return append(all, notice.TextMember("data", text)...)
}

func appendMembers(all []notice.Member, object string) []notice.Member {
	s := scan.New(object)
	for key := range s.Members {
		all = append(all, notice.Member{Key: key, Value: notice.JSON(s.Value())})
	}
	return all
}

func appendQuery(all []notice.Member, query string) []notice.Member {
	most := len(all) + maxParams
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		if name == "" || len(all) == most {
			continue
		}
		all = append(all, notice.Member{Key: plainText(name), Value: notice.Text(plainText(value))})
	}
	return all
}

// plainText undoes the encoding of a part of a query; what is not encoded stays as it is.
func plainText(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// variables returns the request in the terms of CGI.
func (m *Reader) variables(address string) []notice.Member {
	r := &m.event.request
	return m.join(notice.TextMember("REQUEST_METHOD", r.method), r.headers, notice.TextMember("HTTP_COOKIE", r.cookies), notice.TextMember("REMOTE_ADDR", address), r.env)
}

// user is whom an error affected.
type user struct {
	id, email, name, address string
	all                      []notice.Member
}

func (u *user) read(s *scan.Scanner) {
	for key := range s.Members {
		value := s.Value()
		u.all = append(u.all, notice.Member{Key: key, Value: notice.JSON(value)})
		inside := scan.New(value)
		switch key {
		case "id":
			u.id = scalar(&inside)
		case "email":
			u.email = scalar(&inside)
		case "username":
			u.name = scalar(&inside)
		case "name":
			if name := scalar(&inside); u.name == "" {
				u.name = name
			}
		case "ip_address":
			u.address = scalar(&inside)
		}
	}
}

// senderAddress is what clients send for the user's address where the server is to put in that of the sender.
const senderAddress = "{{auto}}"

// addressOr returns the address of the user, who may be the sender.
func (u *user) addressOr(sender string, senderIsUser bool) string {
	if u.address == senderAddress || u.address == "" && senderIsUser {
		return sender
	}
	return u.address
}

// appendTo adds to the context of a notice who the user is, of whom sender is the address if the client leaves that to the server.
func (u *user) appendTo(all []notice.Member, sender string) []notice.Member {
	for i := range u.all {
		if u.all[i].Key == "ip_address" && u.address == senderAddress {
			u.all[i].Value = notice.Text(sender)
		}
	}
	all = append(all, notice.TextMember("user_id", u.id)...)
	all = append(all, notice.TextMember("user_email", u.email)...)
	all = append(all, notice.TextMember("user_name", u.name)...)
	if object := notice.Object(u.all); object != "" && object != "{}" {
		all = append(all, notice.Member{Key: "user", Value: object})
	}
	return all
}
