package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"sett/internal/sett/accounts"
	"sett/internal/setttest/mailserver"
	"sett/internal/setttest/visitor"
)

// crawl is a walk through all pages that are linked with one another.
type crawl struct {
	follower
	t       *testing.T
	known   map[string]bool   // paths with their queries, as they were queued
	shapes  map[string]int    // how many of them look alike
	from    map[string]string // where each was found first
	pages   map[string]*visitor.Answer
	queue   []string
	streams int    // how many were opened
	within  string // the beginning of the paths that are opened
}

// mostAlike is how many addresses are opened that differ in their ids and values alone.
const mostAlike = 3

var idIn = regexp.MustCompile(`/([0-9]+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9A-Za-z]{8}|[0-9A-Za-z_-]{20,})\b`)

func newCrawl(t *testing.T, p follower) *crawl {
	return &crawl{p, t, map[string]bool{}, map[string]int{}, map[string]string{}, map[string]*visitor.Answer{}, nil, 0, ""}
}

// add queues what an address of a page leads to, unless that is elsewhere or enough like it are queued.
func (c *crawl) add(page, address string) {
	base, err := url.Parse(c.Base + page)
	if err != nil {
		c.t.Fatal(err)
	}
	to, err := base.Parse(address)
	if err != nil || to.Scheme+"://"+to.Host != originOf(c.Base) {
		return
	}
	var names []string
	for name, values := range to.Query() {
		if slices.Contains([]string{"kind", "do", "tab", "done"}, name) {
			name += strings.Join(values, " ")
		}
		names = append(names, name)
	}
	slices.Sort(names)
	shape := fmt.Sprint(idIn.ReplaceAllString(to.Path, "/*"), names, to.Fragment)
	path, below := c.below(to.String())
	if !below {
		c.t.Errorf("%s leads to %s, which is not below the base URL", page, to)
		return
	}
	if !strings.HasPrefix(path, c.within) || c.known[path] || c.shapes[shape] == mostAlike {
		return
	}
	c.known[path], c.from[path] = true, page
	c.shapes[shape]++
	c.queue = append(c.queue, path)
}

// run opens everything that can be reached from some paths.
func (c *crawl) run(starts ...string) {
	c.t.Helper()
	for _, s := range starts {
		c.add("", c.Base+s)
	}
	for len(c.queue) > 0 {
		path := c.queue[0]
		c.queue = c.queue[1:]
		at, fragment, _ := strings.Cut(path, "#")
		got := c.pages[at]
		if got == nil {
			got = c.Get(at)
			c.pages[at] = got
			c.read(at, got)
		}
		switch problem := lacks(got.Body, fragment); {
		case got.Status == http.StatusForbidden && strings.HasPrefix(c.from[path], "/docs/") && strings.HasPrefix(at, "/admin/"):
			// the manual is the same for everybody, and names the pages of those who run the server
		case got.Status >= 400:
			c.t.Errorf("%s leads to %s, which answers %d", c.from[path], at, got.Status)
		case got.Status < 300 && problem != "":
			c.t.Errorf("%s leads to %s, which %s", c.from[path], path, problem)
		case at != "" && strings.Contains(got.Header.Get("Location"), "/login"): // without a slash, the cookie stays away; the form then leads home
			c.t.Errorf("%s leads to %s, which asks to sign in", c.from[path], path)
		}
	}
}

// read queues what an answer leads to: by its links, its redirect, or the addresses in its text.
func (c *crawl) read(path string, got *visitor.Answer) {
	if to := got.Header.Get("Location"); to != "" {
		c.add(path, to)
	}
	if got.Status >= 400 {
		return
	}
	if !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") {
		out := handedOut{c.Base, map[string]string{}}
		out.readBody(path, []byte(got.Body))
		for found := range out.found {
			c.add(path, c.Base+found)
		}
		return
	}
	for z := html.NewTokenizer(strings.NewReader(got.Body)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			return
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		token := z.Token()
		attributes := map[string]string{}
		for _, a := range token.Attr {
			attributes[a.Key] = a.Val
		}
		for name, value := range attributes {
			switch {
			case value != "" && (name == "href" || name == "src"):
				c.add(path, value)
			case strings.HasPrefix(value, "/") && (addressed[name] || strings.HasPrefix(name, "data-") && name != "data-key" && name != "data-copy"):
				c.asks(path, name, value)
			}
		}
		if token.Data == "form" && !strings.EqualFold(attributes["method"], "post") && attributes["action"] != "" {
			c.add(path, attributes["action"])
		}
	}
}

// addressed are the attributes with addresses besides links: forms and buttons send there.
var addressed = map[string]bool{"action": true, "formaction": true}

// asks checks an address that a form or a script of a page asks. Streams are opened once each.
func (c *crawl) asks(page, attribute, address string) {
	path, below := c.below(address)
	switch {
	case !below || path != "" && path[0] != '/' && path[0] != '?':
		c.t.Errorf("%s has %s=%q, which is not below the base URL", page, attribute, address)
	case attribute == "data-live" && c.shapes[attribute+idIn.ReplaceAllString(path, "/*")] == 0:
		c.shapes[attribute+idIn.ReplaceAllString(path, "/*")]++
		c.listen(page, path)
	}
}

// listen opens a stream of events, and leaves once it has begun.
func (c *crawl) listen(page, path string) {
	ctx, leave := context.WithCancel(c.t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Base+path, http.NoBody)
	if err != nil {
		c.t.Fatal(err)
	}
	got, err := c.Client.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer got.Body.Close()
	if kind := got.Header.Get("Content-Type"); got.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		c.t.Errorf("%s listens to %s, which answers %d as %s", page, path, got.StatusCode, kind)
	}
	c.streams++
}

// Every link of a page leads somewhere for those who see the page: for an owner who runs the server, and for a member.
func TestLinksOfPagesLeadSomewhere(t *testing.T) {
	t.Parallel()
	below(t, checkLinksOfPagesLeadSomewhere)
}

func checkLinksOfPagesLeadSomewhere(t *testing.T, start starter) {
	s := start(t)
	o := furnish(t, s, s.Client, s.Setup.AccountID, s.Setup.UserID, s.Setup.ProjectID, s.Setup.APIKey)
	id, owner := addPerson(t, s, "second@example.test", accounts.Owner)
	if err := s.App.Store().Accounts.SetOperator(t.Context(), id, true); err != nil {
		t.Fatal(err)
	}
	who, member := addMember(t, s, "ann@example.test")
	watch(t, s).raiseAll(who, func() {})
	for name, p := range map[string]follower{"owner": owner, "member": member} {
		t.Run(name, func(t *testing.T) {
			c := newCrawl(t, p)
			c.run("/", "/projects/"+o.ids["project_id"])
			if len(c.pages) < 100 || c.streams < 3 {
				t.Errorf("only %d pages and %d streams were found", len(c.pages), c.streams)
			}
		})
	}
}

// Every link of a status page leads somewhere for those who are not signed in: of its pages, feeds, summary and badge, and of
// the mails and webhooks that subscribers get.
func TestLinksOfStatusPagesLeadSomewhere(t *testing.T) {
	t.Parallel()
	below(t, checkLinksOfStatusPagesLeadSomewhere)
}

func checkLinksOfStatusPagesLeadSomewhere(t *testing.T, start starter) {
	mails := mailserver.Start(t, mailserver.Options{NoTLS: true})
	s := start(t, mailingTo(mails))
	outside := new(services)
	s.App.SendThrough(outside)
	o := furnish(t, s, s.Client, s.Setup.AccountID, s.Setup.UserID, s.Setup.ProjectID, s.Setup.APIKey)
	var page struct{ URL string }
	one := "/v2/accounts/" + o.ids["account_id"] + "/status_pages/" + o.ids["status_page_id"]
	s.Get(one).Into(&page)
	root, _ := follower{Browser: visitor.New(t, s)}.below(page.URL)
	stranger := visitor.New(t, s)
	stranger.Post(root+"/subscribe", "email", "reader@example.test").Want(http.StatusOK)
	stranger.Post(root+"/subscribe", "url", "https://hooks.test/status").Want(http.StatusOK)

	all := newHandedOut(s)
	confirm := func(out handedOut) {
		t.Helper()
		out.enough(t, 1, root+"/subscribers/")
		for path := range out.found {
			if strings.Contains(path, "/subscribers/") {
				stranger.Post(path).Want(http.StatusOK, "You are subscribed")
			}
		}
	}
	asked := newHandedOut(s)
	asked.readMail(t, await(t, mails, "reader@example.test", "Confirm"))
	asked.follow(t, follower{Browser: stranger})
	confirm(asked)
	hook := newHandedOut(s)
	hook.readBody("webhook that asks", []byte(outside.await(t, "hooks.test", 1)[0]))
	hook.follow(t, follower{Browser: stranger})
	confirm(hook)
	s.Clock.Push(time.Second)
	s.Post(one+"/incidents", map[string]any{"incident": map[string]any{"name": "Down", "message": "All of it."}}).Want(http.StatusCreated)
	all.readMail(t, await(t, mails, "reader@example.test", "Down"))
	all.readBody("webhook with an update", []byte(outside.await(t, "hooks.test", 2)[1]))
	all.enough(t, 3, root+"/incidents/", root+"/subscribers/")
	all.follow(t, follower{Browser: stranger})

	c := newCrawl(t, follower{Browser: stranger})
	c.run(root, root+"/history", root+"/feed.atom", root+"/feed.json", root+"/status.json", root+".json", root+"/badge.svg", root+"/subscribe")
	if c.pages[root+"/incidents/"+o.ids["incident_id"]] == nil || len(c.pages) < 10 {
		t.Errorf("only %d pages were found", len(c.pages))
	}
	for _, part := range []string{"/feed.json", "/status.json"} {
		if !json.Valid([]byte(c.pages[root+part].Body)) {
			t.Errorf("%s is no JSON", part)
		}
	}
}
