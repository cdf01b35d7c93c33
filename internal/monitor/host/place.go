package host

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"sett/internal/sett/repo"
)

// place is where the API of a repository is.
type place struct {
	host  string // what people call it
	label string // of the repository, such as acme/shop
	api   string // address of the repository in the API
	graph string // address of GraphQL; only of GitHub
}

// shown is where people see a repository.
type shown struct {
	root  string   // address of the server
	host  string   // its name, in lower case
	names []string // of the path: the last two are the owner and the repository
}

var nameOfRepository = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,200}$`)

// shownAt reads the address at which people see a repository.
func shownAt(address string, of repo.Host) (s shown, ok bool) {
	u, err := url.Parse(strings.TrimSuffix(strings.TrimRight(address, "/"), ".git"))
	if err != nil || u.Host == "" || u.User != nil || u.RawPath != "" || u.Scheme != "https" && u.Scheme != "http" {
		return s, false
	}
	s = shown{u.Scheme + "://" + u.Host, strings.ToLower(u.Hostname()), strings.Split(strings.Trim(u.Path, "/"), "/")}
	if i := slices.Index(s.names, "-"); i > 0 && of == repo.GitLab { // a page of the project
		s.names = s.names[:i]
	}
	for _, name := range s.names {
		if !nameOfRepository.MatchString(name) || strings.Trim(name, ".") == "" {
			return s, false
		}
	}
	exact := of == repo.GitHub || s.host == "bitbucket.org" // neither has repositories deeper than that
	return s, len(s.names) == 2 || len(s.names) > 2 && !exact
}

// placeOf returns where the API of a repository is.
func placeOf(r repo.Repository) (p place, err error) {
	s, ok := shownAt(r.URL, r.Host)
	if !ok {
		const text = "The address of the repository is not valid. Enter it as your browser shows it, such as https://github.com/acme/shop."
		return p, &Error{Kind: Refused, text: text}
	}
	last := strings.Join(s.names[len(s.names)-2:], "/")
	switch r.Host {
	case repo.GitHub:
		api, graph := s.root+"/api/v3", s.root+"/api/graphql"
		if s.host == "github.com" || s.host == "www.github.com" || strings.HasSuffix(s.host, ".ghe.com") {
			api = "https://api." + strings.TrimPrefix(s.host, "www.")
			graph = api + "/graphql"
		}
		return place{"GitHub", last, api + "/repos/" + last, graph}, nil
	case repo.GitLab:
		whole := strings.Join(s.names, "/")
		return place{"GitLab", whole, s.root + "/api/v4/projects/" + url.PathEscape(whole), ""}, nil
	case repo.Gitea:
		below := strings.Join(append([]string{s.root}, s.names[:len(s.names)-2]...), "/") // a server may be below a path
		return place{"Gitea", last, below + "/api/v1/repos/" + last, ""}, nil
	case repo.Bitbucket:
		if len(s.names) > 2 {
			return p, &Error{Kind: Cannot, text: "This is a repository of Bitbucket Data Center. sett can ask only Bitbucket Cloud."}
		}
		api := s.root + "/2.0"
		if s.host == "bitbucket.org" {
			api = "https://api.bitbucket.org/2.0"
		}
		return place{"Bitbucket", last, api + "/repositories/" + last, ""}, nil
	}
	return p, &Error{Kind: Cannot, text: "sett does not know this kind of host."}
}
