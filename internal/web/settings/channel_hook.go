package settings

import (
	"sett/internal/notify/channel"
	"sett/internal/sett/alerts"
)

// hook is the webhook by which an issue tracker says what becomes of its issues.
type hook struct{ URL, Secret, Steps string }

// hookSteps say what to do in each tracker.
var hookSteps = map[string]string{
	"Github": "In the settings of the repository, add a webhook with this address and secret and the content type application/json. Select the events Issues and, for comments, Issue comments.",
	"Gitlab": "In the settings of the project, add a webhook with this address, and the secret as Secret token. Select Issues events and, for comments, Comments.",
	"Jira":   "As an administrator of Jira, open System, WebHooks, and create one with this address and secret. Select Issue: updated and, for comments, Comment: created. If there is no field for a secret, add ?token= and the secret to the address.",
	"Linear": "As an administrator of Linear, open Settings, API, and create a webhook with this address. Select Issues and, for comments, Comments. Then enter its signing secret above as the webhook secret.",
}

// hookOf returns the webhook of a channel that exists; nil if its kind has none.
func hookOf(kind channel.Kind, i alerts.Integration, base string) *hook {
	if !kind.Hears || i.ID == 0 {
		return nil
	}
	return &hook{i.WebhookURL(base), i.WebhookSecret(), hookSteps[kind.Type]}
}

func (f *channelForm) setHook(h *hook) { f.Hook, f.Secret = h, h != nil }
