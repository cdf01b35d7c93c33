package sentryapi

import (
	"net/http"
	"strconv"

	"sett/internal/serve"
)

// infoAnswer is who asks.
type infoAnswer struct {
	User *infoUser `json:"user"` // null for a client with a project's key
	Auth infoAuth  `json:"auth"`
}

type infoUser struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Username string `json:"username"`
	Email    string `json:"email"`
}

type infoAuth struct {
	Scopes []string `json:"scopes"` // by Sentry's names
}

func (a *API) info(w http.ResponseWriter, _ *http.Request, c caller) error {
	answer := infoAnswer{Auth: infoAuth{[]string{"org:read", "project:read"}}}
	if !c.ReadOnly {
		answer.Auth.Scopes = append(answer.Auth.Scopes, "project:releases")
	}
	if c.key.ProjectID == 0 {
		answer.User = &infoUser{strconv.FormatInt(c.User.ID, 10), c.User.Name, c.User.Email, c.User.Email}
	}
	return serve.WriteJSON(w, http.StatusOK, answer)
}

// repositories answers that no repository is linked: sentry-cli then reads commits from the one that it runs in, and sends them.
func (a *API) repositories(w http.ResponseWriter, _ *http.Request, _ caller) error {
	return serve.WriteJSON(w, http.StatusOK, []struct{}{})
}
