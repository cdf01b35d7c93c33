package host

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"sett/internal/sett/repo"
)

const (
	askTimeout = 30 * time.Second // for one request with its answer
	mostAnswer = 16 << 20         // bytes: a tree of GitHub has up to 7 MB
)

// api is the API of one repository.
type api struct {
	client Client
	host   string // for people, such as GitHub
	label  string // of the repository
	base   string // address that paths are behind
	header http.Header
	bearer func(context.Context) (string, error) // the token of a request, if it is not in the header
	now    func() time.Time
	key    string // with which the marks of comments are made
}

// ask is a request.
type ask struct {
	method string // GET if it is empty
	path   string // behind the base, or a whole address
	query  url.Values
	header http.Header // beside those of the API
	in     any         // sent as JSON
	what   string      // that is asked for, such as "commit a1b2c3d"; "" for the repository itself
	most   int64       // bytes of the answer; mostAnswer if it is 0
}

// send sends a request and returns the answer, whose status is a success.
func (a api) send(ctx context.Context, q ask) ([]byte, http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	address := q.path
	if !strings.Contains(address, "://") {
		address = a.base + q.path
	}
	if len(q.query) > 0 {
		address += "?" + q.query.Encode()
	}
	var body []byte
	if q.in != nil {
		var err error
		if body, err = json.Marshal(q.in); err != nil {
			return nil, nil, fmt.Errorf("encode a request for %s: %w", a.host, err)
		}
	}
	method, most := q.method, q.most
	if method == "" {
		method = http.MethodGet
	}
	if most == 0 {
		most = mostAnswer
	}
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, nil, a.strange("an address")
	}
	request.Header = a.header.Clone()
	request.Header.Set("User-Agent", "sett")
	for name, values := range q.header {
		request.Header[name] = values
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if a.bearer != nil && request.Header.Get("Authorization") == "" {
		token, err := a.bearer(ctx)
		if err != nil {
			return nil, nil, err
		}
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := a.client.Do(request)
	if err != nil {
		return nil, nil, unreachable(a.host, request.URL, err)
	}
	defer func() { _ = response.Body.Close() }()
	said, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	if problem := a.judge(response.StatusCode, response.Header, said, q.what); problem != nil {
		return nil, response.Header, problem
	}
	if err != nil {
		return nil, nil, unreachable(a.host, request.URL, err)
	}
	if int64(len(said)) > most {
		return nil, nil, &Error{Kind: Cannot, text: fmt.Sprintf("The answer of %s for %s is longer than %d bytes.", a.host, q.what, most)}
	}
	return said, response.Header, nil
}

// read sends a request and decodes the JSON of its answer.
func (a api) read(ctx context.Context, q ask, out any) (http.Header, error) {
	said, header, err := a.send(ctx, q)
	if err != nil {
		return header, err
	}
	if err := json.Unmarshal(said, out); err != nil {
		return header, a.strange("a text")
	}
	return header, nil
}

// sound refuses commits without an id, which are no commits.
func (a api) sound(commits ...repo.Commit) error {
	for _, c := range commits {
		if c.SHA == "" {
			return a.strange("a commit without an id")
		}
	}
	return nil
}

var revisionOf = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./+@-]{0,250}$`)

// revision returns a name of a commit that can be part of an address.
func (a api) revision(sha string) (string, error) {
	if !revisionOf.MatchString(sha) || strings.Contains(sha, "..") || strings.Contains(sha, "//") {
		return "", &Error{Kind: NotFound, text: fmt.Sprintf("%s has no commit %.100q in %s.", a.host, sha, a.label)}
	}
	return url.PathEscape(sha), nil
}

// inside returns a path of the repository, each part of it escaped.
func (a api) inside(path string) (string, error) {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, p := range parts {
		if p == "" || p == "." || p == ".." || len(path) > 4_000 {
			return "", &Error{Kind: NotFound, text: fmt.Sprintf("%s has no file %.100q in %s.", a.host, path, a.label)}
		}
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/"), nil
}

// mark is what the comment of a change with a key begins with. Only who knows the secret of the repository can foresee it, so that no comment
// of others is taken for one of sett's.
func (a api) mark(number int64, key string) string {
	h := hmac.New(sha256.New, []byte("comment\x00"+a.key))
	fmt.Fprintf(h, "%s\x00%d\x00%s", a.base, number, key)
	return "sett:" + hex.EncodeToString(h.Sum(nil)[:16])
}

// mostComment is how long the text of a comment may be, in bytes: all hosts take it.
const mostComment = 30_000

func cut(text string) string {
	if len(text) <= mostComment {
		return text
	}
	return strings.ToValidUTF8(text[:mostComment], "")
}

// short is the beginning of an id of a commit, for people.
func short(sha string) string {
	return sha[:min(len(sha), 12)]
}
