package repo

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sett/internal/sett"
)

// MostRepositories is how many repositories a project may have.
const MostRepositories = 20

const (
	longestURL    = 500
	longestSecret = 10_000 // bytes
)

// RepositoryChange are the fields of a repository that people write. Fields that are not sent stay as they are.
type RepositoryChange struct {
	URL      sett.Optional[string] `json:"url,omitzero" doc:"Address at which a browser shows the repository, such as https://github.com/acme/shop."`
	Host     sett.Optional[string] `json:"host,omitzero" doc:"Kind of server. Needed unless the address is at github.com, gitlab.com, bitbucket.org or codeberg.org." enum:"github,gitlab,gitea,bitbucket"`
	Path     sett.Optional[string] `json:"path,omitzero" doc:"Folder of the program in a repository of several programs, such as services/shop."`
	Token    sett.Optional[string] `json:"token,omitzero" doc:"Token with which sett reads commits, changes and files. Never shown. Null removes it."`
	Comments sett.Optional[bool]   `json:"comments,omitzero" doc:"Whether sett comments on a change when a new error most likely came from it. The token must be allowed to write comments."`
}

// knownHosts are public servers of the hosts.
var knownHosts = map[string]Host{"github.com": GitHub, "gitlab.com": GitLab, "bitbucket.org": Bitbucket, "codeberg.org": Gitea}

// HostAt returns the kind of a public server by the address of a repository; false if the address does not say it.
func HostAt(address string) (Host, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	h, ok := knownHosts[strings.ToLower(u.Hostname())]
	return h, ok
}

// Apply returns a repository with the changes, or an Invalid error that names the wrong fields.
func (s RepositoryChange) Apply(r Repository) (Repository, error) {
	var p sett.Problems
	was := r
	if sett.Check(&p, "url", s.URL) || r.URL == "" {
		r.URL = webAddress(&p, s.URL.Value)
	}
	if sett.Check(&p, "host", s.Host) {
		r.Host = Host(s.Host.Value)
	} else if known, ok := HostAt(r.URL); ok && s.URL.Sent {
		r.Host = known
	}
	if !slices.Contains(Hosts, r.Host) {
		p.Add("host", "must be github, gitlab, gitea or bitbucket: the address does not say which kind of server it is")
	}
	if sett.Check(&p, "path", s.Path) || s.Path.Null {
		r.Path = strings.Trim(strings.TrimSpace(s.Path.Value), "/")
		if len(r.Path) > longestURL || slices.Contains(strings.Split(r.Path, "/"), "..") {
			p.Add("path", "must be a folder below the root of the repository, at most %d characters", longestURL)
		}
	}
	if sett.Check(&p, "token", s.Token) || s.Token.Null {
		r.Token = strings.TrimSpace(s.Token.Value)
		if len(r.Token) > longestSecret {
			p.Add("token", "must be at most %d characters", longestSecret)
		}
	} else if was.Token != "" && serverOf(was.URL) != serverOf(r.URL) && r.URL != "" {
		p.Add("token", "must be entered again: the address is at another server, which must not get the stored token")
	}
	if sett.Check(&p, "comments", s.Comments) {
		r.Comments = s.Comments.Value
	}
	return r, p.Refusal()
}

// serverOf returns the server of a repository, and how it is reached.
func serverOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// webAddress returns the address of a repository without what browsers and git add to it.
func webAddress(p *sett.Problems, text string) string {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || strings.Count(strings.Trim(u.Path, "/"), "/") < 1 || len(text) > longestURL {
		p.Add("url", "must be the address at which a browser shows the repository, such as https://github.com/acme/shop")
		return ""
	}
	if u.User != nil {
		p.Add("url", "must not contain a user or password: put the token into its own field")
		return ""
	}
	clean := url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host), Path: strings.TrimSuffix(strings.TrimRight(u.Path, "/"), ".git")}
	return clean.String()
}

// changePaths is what stands between the address of a repository and the number of a change.
var changePaths = []string{"/pull/", "/pulls/", "/-/merge_requests/", "/merge_requests/", "/pull-requests/"}

// ChangeURL returns the address at which a browser shows a change.
func (r Repository) ChangeURL(number int64) string {
	path := map[Host]string{GitHub: "/pull/", GitLab: "/-/merge_requests/", Gitea: "/pulls/", Bitbucket: "/pull-requests/"}[r.Host]
	return r.URL + path + strconv.FormatInt(number, 10)
}

// CommitURL returns the address at which a browser shows a commit; "" for what is no id of a commit.
func (r Repository) CommitURL(sha string) string {
	if len(sha) < 7 || strings.Trim(sha, "0123456789abcdef") != "" {
		return ""
	}
	path := map[Host]string{GitHub: "/commit/", GitLab: "/-/commit/", Gitea: "/commit/", Bitbucket: "/commits/"}[r.Host]
	return r.URL + path + sha
}

// ChangeAt returns the repository of those whose change a browser shows at an address, and the number of the change.
func ChangeAt(all []Repository, address string) (r Repository, number int64, err error) {
	for _, r := range all {
		for _, path := range changePaths {
			rest, ok := strings.CutPrefix(strings.TrimSpace(address), r.URL+path)
			if !ok {
				continue
			}
			digits, _, _ := strings.Cut(strings.NewReplacer("/", " ", "#", " ", "?", " ").Replace(rest), " ")
			if n, err := strconv.ParseInt(digits, 10, 64); err == nil && n > 0 {
				return r, n, nil
			}
		}
	}
	return r, 0, sett.Refuse("url", "must be the address of a pull or merge request of a repository of this project, such as https://github.com/acme/shop/pull/12")
}
