package statuspage

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
)

// subscribePage is the form to subscribe by mail.
type subscribePage struct {
	Shell
	Email   string // as it was typed in
	Problem string // with it
}

// subscriberPage says something to those who follow a link of a mail, or asks them to press a button.
type subscriberPage struct {
	Shell
	Heading string
	Message string
	Button  string // "" for none
	Action  string // where the button leads
	Other   string // what else they may want; "" for nothing
	Else    string // where that is found
}

// subscribeRoutes are those by which people subscribe to a page and unsubscribe, below its root. Where mails lead changes
// nothing by itself: programs that look at mails follow their links. A mail program may unsubscribe by one click without
// any page (RFC 8058), so that this form alone is taken from everywhere.
func (p *Pages) subscribeRoutes(root string) []serve.Route {
	if !p.Mail {
		return p.subscriberRoutes(root)
	}
	return append(p.subscriberRoutes(root),
		p.line("GET", root+"/subscribe", "statusSubscribeForm", p.subscribeForm, "The form to subscribe."),
		p.line("POST", root+"/subscribe", "subscribeStatusPage", p.subscribe, "Subscribe by mail; the address is asked to confirm."),
	)
}

// subscriberRoutes are there also when mail is off: mails may have been sent before.
func (p *Pages) subscriberRoutes(root string) []serve.Route {
	const confirm, unsubscribe = "/subscribers/{token}", "/subscribers/{token}/unsubscribe"
	return []serve.Route{
		p.line("GET", root+confirm, "statusSubscriber", p.confirmForm, "The form to confirm a subscription."),
		p.line("POST", root+confirm, "confirmStatusSubscriber", p.confirm, "Confirm a subscription."),
		p.line("GET", root+unsubscribe, "statusUnsubscribeForm", p.unsubscribeForm, "The form to unsubscribe."),
		p.line("POST", root+unsubscribe, "unsubscribeStatusPage", p.unsubscribe, "Unsubscribe, also by one click (RFC 8058)."),
	}
}

// bare is what is around the pages of subscribers, which nobody else is to find.
func (v *visit) bare(title string) Shell {
	name := v.drawn.view.Page.Name
	return Shell{Title: title + " – " + name, Name: name, Root: v.face.root, Style: v.pages.style, Hidden: true}
}

func (p *Pages) subscribeForm(w http.ResponseWriter, r *http.Request) error {
	v, err := p.admit(w, r)
	if err != nil || v.locked {
		return err
	}
	return p.answerPage(w, r, http.StatusOK, "subscribe", subscribePage{Shell: v.bare("Get updates")})
}

// subscribe takes the form. What it answers does not depend on whether the address is known.
func (p *Pages) subscribe(w http.ResponseWriter, r *http.Request) error {
	if !p.posts.allow(p.client(r), p.Now()) {
		return tooMany()
	}
	v, err := p.find(r)
	if err != nil {
		return err
	}
	if err := new(http.CrossOriginProtection).Check(r); err != nil {
		return sett.Errorf(sett.Forbidden, "This form was sent from another site. Open its page here and send it again.")
	}
	if err := p.askPassword(w, r, &v); err != nil || v.locked {
		return err
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostUnlockBytes)
	if err := r.ParseForm(); err != nil {
		return sett.Errorf(sett.Malformed, "The form cannot be read. Load the page again.")
	}
	email := r.PostForm.Get("email")
	err = p.Store.SubscribeEmail(r.Context(), p.Now(), v.page.id, email)
	switch {
	case sett.CodeOf(err) == sett.Invalid:
		form := subscribePage{v.bare("Get updates"), email, "This is no email address. Write one such as you@example.org."}
		return p.answerPage(w, r, http.StatusUnprocessableEntity, "subscribe", form)
	case err != nil:
		return err
	}
	return p.answerPage(w, r, http.StatusOK, "subscriber", subscriberPage{
		Shell: v.bare("Get updates"), Heading: "Look into your mail",
		Message: "If this address has not subscribed yet, a mail is on its way to it with a link to confirm that it is yours. " +
			"Nothing else is sent before. The link works for 48 hours.",
	})
}

// reached finds the page of those who have followed a link, or of a mail program that unsubscribes many people from one
// address. No password is asked for: they were asked when they subscribed.
func (p *Pages) reached(r *http.Request) (visit, error) {
	if !p.views.allow(p.client(r), p.Now()) {
		return visit{}, tooMany()
	}
	return p.find(r)
}

// followed is reached with whose link it is.
func (p *Pages) followed(r *http.Request) (v visit, s sett.StatusSubscriber, err error) {
	if v, err = p.reached(r); err != nil {
		return v, s, err
	}
	s, err = p.Store.SubscriberByToken(r.Context(), p.Now(), v.page.id, r.PathValue("token"))
	return v, s, err
}

func (v *visit) subscriberPath(token string) string { return v.face.root + "/subscribers/" + token }

func (p *Pages) confirmForm(w http.ResponseWriter, r *http.Request) error {
	v, s, err := p.followed(r)
	if err != nil {
		return err
	}
	if !s.ConfirmedAt.IsZero() {
		return p.showConfirmed(w, r, v, s)
	}
	return p.answerPage(w, r, http.StatusOK, "subscriber", subscriberPage{
		Shell: v.bare("Confirm"), Heading: "Get updates by mail", Message: "News on this page will be sent to " + s.Address + ".",
		Button: "Confirm", Action: v.subscriberPath(s.Token),
	})
}

func (p *Pages) confirm(w http.ResponseWriter, r *http.Request) error {
	v, err := p.reached(r)
	if err != nil {
		return err
	}
	s, err := p.Store.ConfirmSubscriber(r.Context(), p.Now(), v.page.id, r.PathValue("token"))
	if err != nil {
		return err
	}
	return p.showConfirmed(w, r, v, s)
}

func (p *Pages) showConfirmed(w http.ResponseWriter, r *http.Request, v visit, s sett.StatusSubscriber) error {
	return p.answerPage(w, r, http.StatusOK, "subscriber", subscriberPage{
		Shell: v.bare("Confirmed"), Heading: "You are subscribed", Message: "News on this page is sent to " + s.Address + ".",
		Other: "Unsubscribe", Else: v.subscriberPath(s.Token) + "/unsubscribe",
	})
}

func (p *Pages) unsubscribeForm(w http.ResponseWriter, r *http.Request) error {
	v, s, err := p.followed(r)
	if sett.CodeOf(err) == sett.NotFound && v.page != nil {
		return p.showUnsubscribed(w, r, v)
	}
	if err != nil {
		return err
	}
	return p.answerPage(w, r, http.StatusOK, "subscriber", subscriberPage{
		Shell: v.bare("Unsubscribe"), Heading: "Unsubscribe", Message: "News on this page will no longer be sent to " + s.Address + ".",
		Button: "Unsubscribe", Action: v.subscriberPath(s.Token) + "/unsubscribe",
	})
}

// unsubscribe answers alike also when there is nobody to forget, as a mail program may ask twice.
func (p *Pages) unsubscribe(w http.ResponseWriter, r *http.Request) error {
	v, err := p.reached(r)
	if err != nil {
		return err
	}
	if err := p.Store.UnsubscribeStatus(r.Context(), v.page.id, r.PathValue("token")); err != nil {
		return err
	}
	return p.showUnsubscribed(w, r, v)
}

func (p *Pages) showUnsubscribed(w http.ResponseWriter, r *http.Request, v visit) error {
	return p.answerPage(w, r, http.StatusOK, "subscriber", subscriberPage{
		Shell: v.bare("Unsubscribed"), Heading: "You are unsubscribed", Message: "No more news on this page is sent to you, and your address is deleted.",
	})
}
