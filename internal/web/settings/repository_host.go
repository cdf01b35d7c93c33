package settings

import "sett/internal/sett/repo"

// hostGuide is what people do at a kind of host to connect a repository.
type hostGuide struct {
	Name    string
	Changes string   // what it calls changes
	Hooks   string   // path of its page of webhooks, below the repository
	Open    string   // how one gets to the form of a new webhook
	Address string   // its field for the address
	Secret  string   // its field for the secret
	Also    string   // what else the form needs; "" for nothing
	Events  []string // to tick, as the host calls them
	Token   string   // where one makes a token
	Reads   []string // what the token must be allowed to do
	Writes  string   // the same, to comment
	Ordered bool     // webhooks say the order of commits: deploys are compared without a token
	Files   bool     // and which files they touch
}

var guides = map[repo.Host]hostGuide{
	repo.GitHub: {
		Name: "GitHub", Changes: "pull requests", Hooks: "/settings/hooks", Open: "Settings → Webhooks → Add webhook",
		Address: "Payload URL", Secret: "Secret", Also: "As content type, select application/json.",
		Events: []string{"Pushes", "Pull requests", "Check suites", "Statuses, if your CI reports them"},
		Token:  "Create a fine-grained personal access token for this repository only. A classic token needs the scope repo.",
		Reads:  []string{"Contents: read", "Pull requests: read", "Commit statuses: read", "Checks: read"},
		Writes: "Pull requests: read and write", Ordered: true, Files: true,
	},
	repo.GitLab: {
		Name: "GitLab", Changes: "merge requests", Hooks: "/-/hooks", Open: "Settings → Webhooks → Add new webhook",
		Address: "URL", Secret: "Secret token",
		Events: []string{"Push events", "Merge request events", "Pipeline events"},
		Token:  "Create a project access token with the role Reporter: Settings → Access tokens.",
		Reads:  []string{"read_api", "read_repository"}, Writes: "api",
	},
	repo.Gitea: {
		Name: "Gitea or Forgejo", Changes: "pull requests", Hooks: "/settings/hooks", Open: "Settings → Webhooks → Add webhook → Gitea or Forgejo",
		Address: "Target URL", Secret: "Secret", Also: "As content type, select application/json. As trigger, select custom events.",
		Events: []string{"Push", "Pull request", "Pull request synchronized", "Status, where the server has it"},
		Token:  "Create a token of a user who sees the repository: Settings → Applications.",
		Reads:  []string{"repository: read"}, Writes: "issue: read and write",
	},
	repo.Bitbucket: {
		Name: "Bitbucket", Changes: "pull requests", Hooks: "/admin/webhooks", Open: "Repository settings → Webhooks → Add webhook",
		Address: "URL", Secret: "Secret", Also: "Choose from the full list of triggers.",
		Events: []string{"Repository: push", "Repository: build status created and updated", "Pull request: created, updated, merged and declined"},
		Token:  "Create a repository access token: Repository settings → Access tokens.",
		Reads:  []string{"Repositories: read", "Pull requests: read"}, Writes: "Pull requests: write", Ordered: true,
	},
}

// guideOf returns the guide of a kind of host.
func guideOf(h repo.Host) hostGuide {
	if g, ok := guides[h]; ok {
		return g
	}
	return hostGuide{Name: string(h), Changes: "pull requests"}
}
