package statuspage

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/alerts"
)

// subscribePage has the forms to subscribe.
type subscribePage struct {
	Shell
	Mail         bool   // people can subscribe by email
	Email        string // as entered
	EmailProblem string // what is wrong with it
	URL          string // as Email
	URLProblem   string
}

// mostSubscribeBytes limits the size of a form: a URL of 2,000 escaped characters fits.
const mostSubscribeBytes = 8 << 10

// subscribeRoutes are the routes to subscribe and unsubscribe, below the root of a page. Following a link of a mail or webhook
// changes nothing, because programs that scan mails follow links. A mail program may unsubscribe with one click without any
// page (RFC 8058), so only that form is accepted from any origin.
func (p *Pages) subscribeRoutes(root string) []serve.Route {
	const confirm, unsubscribe = "/subscribers/{token}", "/subscribers/{token}/unsubscribe"
	return []serve.Route{
		p.line("GET", root+"/subscribe", "statusSubscribeForm", p.subscribeForm, "The forms to subscribe."),
		p.line("POST", root+"/subscribe", "subscribeStatusPage", p.subscribe, "Subscribe by email or webhook. The address must be confirmed."),
		p.line("GET", root+confirm, "statusSubscriber", p.confirmForm, "The form to confirm a subscription."),
		p.line("POST", root+confirm, "confirmStatusSubscriber", p.confirm, "Confirm a subscription."),
		p.line("GET", root+unsubscribe, "statusUnsubscribeForm", p.unsubscribeForm, "The form to unsubscribe."),
		p.line("POST", root+unsubscribe, "unsubscribeStatusPage", p.unsubscribe, "Unsubscribe, also with one click (RFC 8058)."),
	}
}

// bare returns the layout data for pages of subscribers, which are not meant for search engines.
func (v *visit) bare(key string) Shell {
	title := v.lang.Text(key)
	name := v.rendered.view.Page.Name
	return Shell{Lang: v.lang, Title: title + " – " + name, Name: name, Root: v.variant.root, Style: v.pages.style, Hidden: true}
}

func (v *visit) subscribePage() subscribePage {
	return subscribePage{Shell: v.bare("get_updates"), Mail: v.pages.Mail}
}

func (p *Pages) subscribeForm(w http.ResponseWriter, r *http.Request) error {
	v, err := p.admit(w, r)
	if err != nil || v.locked {
		return err
	}
	return p.answerPage(w, r, http.StatusOK, "subscribe", v.subscribePage())
}

// subscribe handles both forms. The response does not reveal whether the address is already subscribed.
func (p *Pages) subscribe(w http.ResponseWriter, r *http.Request) error {
	if !p.posts.allow(p.client(r), p.Now()) {
		return tooMany()
	}
	v, err := p.find(r)
	if err != nil {
		return err
	}
	if err := new(http.CrossOriginProtection).Check(r); err != nil {
		return sett.Errorf(sett.Forbidden, "This form was sent from another site. Open the page on this server and submit it again.")
	}
	if err := p.askPassword(w, r, &v); err != nil || v.locked {
		return err
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostSubscribeBytes)
	if err := r.ParseForm(); err != nil {
		if sett.CodeOf(err) != "" {
			return err
		}
		return sett.Errorf(sett.Malformed, "The form could not be read. Reload the page.")
	}
	if !p.subscribers.allow(limitKey{page: v.page.id}, p.Now()) {
		return &sett.Error{
			Code: sett.TooMany, Message: "Too many people are subscribing to this page. Try again in a minute, or use the feed.", RetryAfter: time.Minute,
		}
	}
	if r.PostForm.Has("url") {
		return p.subscribeWebHook(w, r, v)
	}
	return p.subscribeEmail(w, r, v)
}

func (p *Pages) subscribeEmail(w http.ResponseWriter, r *http.Request, v visit) error {
	if !p.Mail {
		return sett.Errorf(sett.NotFound, "This server does not send email. Use a webhook or a feed instead.")
	}
	form := v.subscribePage()
	form.Email = r.PostForm.Get("email")
	err := p.Status.SubscribeEmail(r.Context(), p.Now(), v.page.id, form.Email)
	switch {
	case sett.CodeOf(err) == sett.Invalid:
		form.EmailProblem = v.lang.Text("bad_email")
		return p.answerPage(w, r, http.StatusUnprocessableEntity, "subscribe", form)
	case err != nil:
		return err
	}
	return p.answerPage(w, r, http.StatusOK, "subscriber", subscriberPage{
		Shell: form.Shell, Heading: v.lang.Text("check_inbox"), Message: v.lang.Text("check_inbox_text"),
	})
}

// subscribeWebHook always shows a secret. The secret is stored only if a confirmation request is sent.
func (p *Pages) subscribeWebHook(w http.ResponseWriter, r *http.Request, v visit) error {
	form, secret := v.subscribePage(), alerts.NewSigningSecret()
	form.URL = r.PostForm.Get("url")
	err := p.Status.SubscribeWebHook(r.Context(), p.Now(), v.page.id, form.URL, secret)
	switch {
	case sett.CodeOf(err) == sett.Invalid:
		form.URLProblem = v.lang.Text("bad_url")
		return p.answerPage(w, r, http.StatusUnprocessableEntity, "subscribe", form)
	case err != nil:
		return err
	}
	return p.answerPage(w, r, http.StatusOK, "subscriber", subscriberPage{
		Shell: form.Shell, Heading: v.lang.Text("save_secret"), Secret: secret, Message: v.lang.Text("save_secret_text"),
	})
}
