package bench

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// browser requests pages over one connection, as a signed-in user.
type browser struct {
	base   string
	client *http.Client
}

// signIn follows a link that signs in.
func signIn(ctx context.Context, link string) (*browser, error) {
	base, _, ok := strings.Cut(link, "/demo/")
	if !ok {
		return nil, fmt.Errorf("%q is not the link of a demo", link)
	}
	b, err := newBrowser(base)
	if err != nil {
		return nil, err
	}
	answer, err := b.get(ctx, strings.TrimPrefix(link, base))
	if err != nil {
		return nil, err
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusSeeOther {
		return nil, fmt.Errorf("the link of the demo returned %d", answer.StatusCode)
	}
	return b, nil
}

// signInAs signs in with a password.
func signInAs(ctx context.Context, base, email, password string) (*browser, error) {
	b, err := newBrowser(base)
	if err != nil {
		return nil, err
	}
	form := url.Values{"email": {email}, "password": {password}}.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/login", strings.NewReader(form))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err := b.client.Do(r)
	if err != nil {
		return nil, err
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusSeeOther {
		return nil, fmt.Errorf("signing in returned %d", answer.StatusCode)
	}
	return b, nil
}

func newBrowser(base string) (*browser, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	return &browser{base, &http.Client{
		Jar: jar, Transport: &http.Transport{DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// get asks for a page as browsers do.
func (b *browser) get(ctx context.Context, path string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.base+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	r.Header.Set("Accept-Encoding", "gzip")
	return b.client.Do(r)
}

// visit is how long one answer took.
type visit struct {
	whole, read, draw time.Duration
	cpu               time.Duration // of the server
	bytes             int
}

// visit asks for a page. Anything but one is an error.
func (b *browser) visit(ctx context.Context, path string) (v visit, err error) {
	began := time.Now()
	answer, err := b.get(ctx, path)
	if err != nil {
		return v, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return v, err
	}
	v.whole, v.bytes = time.Since(began), len(body)
	said := timing.FindStringSubmatch(answer.Header.Get("Server-Timing"))
	if answer.StatusCode != http.StatusOK || said == nil || len(body) == 0 {
		return v, fmt.Errorf("%s returned %d and no page", path, answer.StatusCode)
	}
	v.read, v.draw = spanOf(said[1]), spanOf(said[2])
	return v, nil
}

// timing is how a page says how long it took.
var timing = regexp.MustCompile(`db;.*dur=([0-9.]+), app;.*dur=([0-9.]+)`)

func spanOf(millis string) time.Duration {
	f, _ := strconv.ParseFloat(millis, 64) // the pattern lets only numbers through
	return time.Duration(f * float64(time.Millisecond))
}

// read returns the text of a page.
func (b *browser) read(ctx context.Context, path string) (string, error) {
	answer, err := b.get(ctx, path)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body := io.Reader(answer.Body)
	if answer.Header.Get("Content-Encoding") == "gzip" {
		if body, err = gzip.NewReader(answer.Body); err != nil {
			return "", err
		}
	}
	text, err := io.ReadAll(body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s returned %d", path, answer.StatusCode)
	}
	return string(text), err
}
