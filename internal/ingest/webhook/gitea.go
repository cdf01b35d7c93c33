package webhook

import "sett/internal/sett/repo"

// giteaPush reads a push of Gitea or Forgejo. Its commits are the newest few, and total_commits is how many were pushed. It does not say
// whether commits are gone.
func giteaPush(body []byte, d *repo.Delivery) error {
	return readHubPush(body, d, func(p hubPush) bool { return p.Total != nil && len(p.Commits) >= *p.Total })
}

// giteaChange reads a pull request of Gitea or Forgejo, which is as that of GitHub.
func giteaChange(body []byte, d *repo.Delivery) error { return gitHubChange(body, d) }
