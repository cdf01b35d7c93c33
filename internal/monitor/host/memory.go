package host

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"sett/internal/sett/repo"
)

// mostTrees is how many trees are remembered, each up to MostPaths.
const mostTrees = 4

// Memory opens hosts that have in common what is costly to ask for: the files of a commit, which never change, and the tokens of GitHub Apps,
// which last an hour. It is safe for concurrent use.
type Memory struct {
	client Client
	now    func() time.Time

	mu    sync.Mutex
	trees []tree // the latest first
	apps  map[string]*app
}

// tree are the files of a commit, which its whole id names. They are for who has the same token: another may not read them.
type tree struct {
	owner, sha string
	paths      []string
	complete   bool
}

// NewMemory returns a Memory that knows nothing yet. now is for limits and tokens that end after a time.
func NewMemory(client Client, now func() time.Time) *Memory {
	return &Memory{client: client, now: now, apps: map[string]*app{}}
}

// Open returns the host of a repository, which needs a token: as the host gives it; for Bitbucket also an email address, a colon and an API
// token; for GitHub also the id of an App and, behind it, its private key as the file with it says.
func (m *Memory) Open(r repo.Repository) (Host, error) {
	at, err := placeOf(r)
	if err != nil {
		return nil, err
	}
	token := strings.TrimSpace(r.Token)
	if token == "" {
		return nil, &Error{Kind: Refused, text: "This repository has no token. Enter one that may read its code."}
	}
	a := api{client: m.client, host: at.host, label: at.label, base: at.api, now: m.now, key: r.Secret, header: http.Header{"Accept": {"application/json"}}}
	if isApp := strings.Contains(token, "-----BEGIN"); isApp && r.Host != repo.GitHub || !isApp && strings.ContainsAny(token, " \r\n\t") {
		return nil, &Error{Kind: Refused, text: "The token has blanks or several lines. Enter it as the host shows it."}
	}
	owner := a.base + "\x00" + token
	switch r.Host {
	case repo.GitHub:
		a.header = http.Header{"Accept": {"application/vnd.github+json"}, "X-Github-Api-Version": {"2022-11-28"}}
		if a.bearer, err = m.bearer(a, token); err != nil {
			return nil, err
		}
		return remembering{gitHub{hub{a}, at.graph}, m, owner}, nil
	case repo.GitLab:
		a.header.Set("Private-Token", token)
		return remembering{gitLab{a}, m, owner}, nil
	case repo.Gitea:
		a.header.Set("Authorization", "token "+token)
		return remembering{gitea{hub{a}}, m, owner}, nil
	}
	a.header.Set("Authorization", "Bearer "+token)
	if user, password, ok := strings.Cut(token, ":"); ok {
		(&http.Request{Header: a.header}).SetBasicAuth(user, password)
	}
	return remembering{bitbucket{a}, m, owner}, nil
}

// bearer returns how requests to GitHub get their token.
func (m *Memory) bearer(a api, token string) (func(context.Context) (string, error), error) {
	if !strings.Contains(token, "-----BEGIN") {
		return func(context.Context) (string, error) { return token, nil }, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	name := a.base + "\x00" + token
	if m.apps[name] == nil {
		one, err := newApp(a, token)
		if err != nil {
			return nil, err
		}
		if len(m.apps) >= mostApps {
			clear(m.apps)
		}
		m.apps[name] = one
	}
	return m.apps[name].bearer, nil
}

// mostApps is how many tokens of Apps are kept, one for each repository.
const mostApps = 1_000

// remembering is a host whose trees are remembered.
type remembering struct {
	Host
	memory *Memory
	owner  string // of what is remembered: the repository and a token for it
}

var wholeID = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// Tree asks for the files of a commit, unless they are known.
func (h remembering) Tree(ctx context.Context, sha string) ([]string, bool, error) {
	if !wholeID.MatchString(sha) {
		return h.Host.Tree(ctx, sha)
	}
	if t, ok := h.memory.recall(h.owner, sha); ok {
		return t.paths, t.complete, nil
	}
	paths, complete, err := h.Host.Tree(ctx, sha)
	if err == nil {
		h.memory.keep(tree{h.owner, sha, paths, complete})
	}
	return paths, complete, err
}

func (m *Memory) recall(owner, sha string) (tree, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.trees {
		if t.owner == owner && t.sha == sha {
			return t, true
		}
	}
	return tree{}, false
}

func (m *Memory) keep(t tree) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.trees = append([]tree{t}, m.trees[:min(len(m.trees), mostTrees-1)]...)
}
