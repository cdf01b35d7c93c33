package settings

import (
	"context"
	"net/http"

	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/web"
)

// kindList is the page to choose the kind of a new channel.
type kindList struct {
	page
	Tellers, Trackers []channel.Kind
}

// newChannelPage lists the kinds, or shows the form of the kind in ?kind=.
func (p *pages) newChannelPage(w http.ResponseWriter, r *http.Request) error {
	kind, ok := channel.Find(r.URL.Query().Get("kind"))
	if !ok {
		list := kindList{page: p.newPage(r, "Add channel", "channels")}
		for _, k := range channel.Kinds() {
			switch {
			case k.LinkOnly: // sends nothing; the API takes it
			case k.Tracker:
				list.Trackers = append(list.Trackers, k)
			default:
				list.Tellers = append(list.Tellers, k)
			}
		}
		return p.Show(w, r, http.StatusOK, "settings_channel_kinds", list)
	}
	fresh := alerts.Integration{IntegrationSettings: alerts.IntegrationSettings{
		Type: kind.Type, Events: rulesOf(kind).DefaultEvents(), NotificationLimit: alerts.DefaultNotificationLimit,
	}}
	form, err := p.newChannelForm(r, kind, fresh)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "settings_channel", form)
}

// madeSecrets is the page with the generated secrets of a new channel, which are shown once.
type madeSecrets struct {
	page
	ID      int64
	Secrets []web.Choice // their values and labels
	Log     string       // path of the test's delivery; "" without one
}

func (p *pages) addChannel(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	kind, ok := channel.Find(form.Get("type"))
	if !ok {
		return sett.Errorf(sett.Invalid, "This server does not support this kind of channel. Go back and choose another one.")
	}
	change := channelChange(kind, false, form)
	change.Type = sett.Some(kind.Type)
	made, err := p.Deliveries.CreateIntegration(r.Context(), p.Now(), web.Project(r), channel.Rules(), change)
	if err != nil {
		return p.channelAgain(w, r, err, kind, alerts.Integration{IntegrationSettings: alerts.IntegrationSettings{Type: kind.Type}}, change)
	}
	shown := madeSecrets{page: p.newPage(r, "Channel added", "channels"), ID: made.ID}
	for _, o := range kind.AllOptions() {
		if value, _ := made.Options[o.Name].(string); o.Generate != nil && !o.Kept && form.Get(optionPrefix+o.Name) == "" {
			shown.Secrets = append(shown.Secrets, web.Choice{Value: value, Label: o.Label})
		}
	}
	test := form.Get("test") != ""
	switch {
	case len(shown.Secrets) > 0:
		shown.Secret = true
		return p.showSecrets(w, r, shown, test)
	case test:
		d, err := p.Deliveries.TestIntegration(r.Context(), p.Now(), made.ProjectID, made.ID)
		return p.toDelivery(w, r, d, err, "channel_tried")
	}
	return p.Done(w, to(r, "/channels"), "channel_made")
}

// showSecrets shows the secrets of a new channel, and what became of its test.
func (p *pages) showSecrets(w http.ResponseWriter, r *http.Request, shown madeSecrets, test bool) error {
	if test {
		tried, err := p.tried(r, shown)
		if err != nil {
			return err
		}
		shown.page, shown.Log = tried.page, to(r, "/channels/%d/deliveries/%d", shown.ID, tried.Delivery.ID)
	}
	return p.Show(w, r, http.StatusOK, "settings_channel_made", shown)
}

// tried sends a test to a new channel, and returns its delivery after the first attempt.
func (p *pages) tried(r *http.Request, shown madeSecrets) (tried deliveryPage, err error) {
	d, err := p.Deliveries.TestIntegration(r.Context(), p.Now(), web.Project(r), shown.ID)
	if err != nil {
		return tried, err
	}
	if err := p.awaitTry(r.Context(), web.Project(r), d); err != nil {
		return tried, err
	}
	now, _, _, err := p.Deliveries.DeliveryByID(r.Context(), web.Project(r), shown.ID, d.ID)
	if err != nil {
		return tried, err
	}
	tried = deliveryPage{page: shown.page, Delivery: deliveryRow{Delivery: now.Delivery}}
	tried.Done = doneTexts["channel_tried"]
	tried.sayTried(now.Delivery)
	return tried, nil
}

// channelAgain shows a rejected form as it was sent, without its secrets.
func (p *pages) channelAgain(w http.ResponseWriter, r *http.Request, err error, kind channel.Kind, before alerts.Integration, c alerts.IntegrationChange) error {
	again, failed := p.newChannelForm(r, kind, sentChannel(before, c))
	if failed != nil {
		return failed
	}
	again.setHook(hookOf(kind, before, p.BaseURL))
	again.explain(sett.ProblemsOf(err))
	return p.Again(w, r, err, "settings_channel", again)
}

// found returns the channel in the path, and its kind.
func (p *pages) found(r *http.Request) (alerts.Integration, channel.Kind, error) {
	i, err := p.Deliveries.IntegrationByID(r.Context(), web.Project(r), web.PathID(r, "integration_id"))
	if err != nil {
		return i, channel.Kind{}, err
	}
	kind, ok := channel.Find(i.Type)
	if !ok {
		kind = channel.Kind{Type: i.Type, Name: i.Type, About: "This server does not support this kind of channel."}
	}
	return i, kind, nil
}

func (p *pages) channelPage(w http.ResponseWriter, r *http.Request) error {
	i, kind, err := p.found(r)
	if err != nil {
		return err
	}
	form, err := p.newChannelForm(r, kind, i)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "settings_channel", form)
}

func (p *pages) saveChannel(w http.ResponseWriter, r *http.Request) error {
	i, kind, err := p.found(r)
	if err != nil {
		return err
	}
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	change := channelChange(kind, true, form)
	if err := p.Deliveries.UpdateIntegration(r.Context(), p.Now(), i.ProjectID, i.ID, channel.Rules(), change); err != nil {
		return p.channelAgain(w, r, err, kind, i, change)
	}
	return p.Done(w, to(r, "/channels"), "saved")
}

func (p *pages) switchChannel(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	on := form.Get("active") == "true"
	change := alerts.IntegrationChange{Active: sett.Some(sett.LenientBool(on))}
	if err := p.Deliveries.UpdateIntegration(r.Context(), p.Now(), web.Project(r), web.PathID(r, "integration_id"), channel.Rules(), change); err != nil {
		return err
	}
	return p.Done(w, to(r, "/channels"), map[bool]string{true: "channel_on", false: "channel_off"}[on])
}

// dropChannel completes the deletion even if the browser disconnects: there may be many deliveries.
func (p *pages) dropChannel(w http.ResponseWriter, r *http.Request) error {
	ctx := context.WithoutCancel(r.Context())
	if err := p.Deliveries.DeleteIntegration(ctx, web.Project(r), web.PathID(r, "integration_id")); err != nil {
		return err
	}
	return p.Done(w, to(r, "/channels"), "channel_deleted")
}
