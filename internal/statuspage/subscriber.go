package statuspage

import (
	"net/http"

	"sett/internal/sett"
	"sett/internal/status"
)

// subscriberPage shows a message or a confirmation button to subscribers.
type subscriberPage struct {
	Shell
	Heading string
	Message string
	Secret  string // the signing secret; "" for none
	Button  string // "" for none
	Action  string // URL of the button's form
	Other   string // label of another link; "" for none
	Else    string // URL of that link
}

// reached finds the page for a link in a mail, or for a mail program that unsubscribes many people from one address. It does
// not ask for the page's password: subscribers entered it when they subscribed.
func (p *Pages) reached(r *http.Request) (visit, error) {
	if !p.views.allow(p.client(r), p.Now()) {
		return visit{}, tooMany()
	}
	v, err := p.find(r)
	if sett.CodeOf(err) == sett.NotFound { // the page may have moved since the mail was sent
		return p.movedTo(r, v, err)
	}
	return v, err
}

// left is reached, for links to unsubscribe: they work for as long as there is the subscriber, also where another page is now.
func (p *Pages) left(r *http.Request) (visit, error) {
	v, err := p.reached(r)
	if err != nil {
		return v, err
	}
	return p.movedTo(r, v, nil)
}

// movedTo returns the request for the page of the token's subscriber; if there is none, or it was found there already, what was found.
func (p *Pages) movedTo(r *http.Request, found visit, err error) (visit, error) {
	id, failed := p.Status.PageOfSubscriber(r.Context(), r.PathValue("token"))
	page := p.index.Load().page(id)
	switch {
	case failed != nil:
		return visit{}, failed
	case page == nil || page == found.page:
		return found, err
	}
	return p.visitOf(r, page, false)
}

// followed returns the page of a link as find does, which is reached or left, together with the subscriber of the link.
func (p *Pages) followed(r *http.Request, find func(*http.Request) (visit, error)) (v visit, s status.StatusSubscriber, err error) {
	if v, err = find(r); err != nil {
		return v, s, err
	}
	s, err = p.Status.SubscriberByToken(r.Context(), p.Now(), v.page.id, r.PathValue("token"))
	return v, s, err
}

func (v *visit) subscriberPath(token string) string { return v.variant.root + "/subscribers/" + token }

func (p *Pages) confirmForm(w http.ResponseWriter, r *http.Request) error {
	v, s, err := p.followed(r, p.reached)
	if err != nil {
		return err
	}
	if !s.ConfirmedAt.IsZero() {
		return p.showConfirmed(w, r, v, s)
	}
	return p.answerPage(w, r, http.StatusOK, "subscriber", subscriberPage{
		Shell: v.bare("confirm"), Heading: v.lang.Text("get_updates"), Message: v.lang.Text("will_send", s.Shown()),
		Button: v.lang.Text("confirm"), Action: v.subscriberPath(s.Token),
	})
}

func (p *Pages) confirm(w http.ResponseWriter, r *http.Request) error {
	v, err := p.reached(r)
	if err != nil {
		return err
	}
	s, err := p.Status.ConfirmSubscriber(r.Context(), p.Now(), v.page.id, r.PathValue("token"))
	if err != nil {
		return err
	}
	return p.showConfirmed(w, r, v, s)
}

func (p *Pages) showConfirmed(w http.ResponseWriter, r *http.Request, v visit, s status.StatusSubscriber) error {
	return p.answerPage(w, r, http.StatusOK, "subscriber", subscriberPage{
		Shell: v.bare("confirmed"), Heading: v.lang.Text("subscribed"), Message: v.lang.Text("are_sent", s.Shown()),
		Other: v.lang.Text("unsubscribe"), Else: v.subscriberPath(s.Token) + "/unsubscribe",
	})
}

func (p *Pages) unsubscribeForm(w http.ResponseWriter, r *http.Request) error {
	v, s, err := p.followed(r, p.left)
	if sett.CodeOf(err) == sett.NotFound && v.page != nil {
		return p.showUnsubscribed(w, r, v)
	}
	if err != nil {
		return err
	}
	return p.answerPage(w, r, http.StatusOK, "subscriber", subscriberPage{
		Shell: v.bare("unsubscribe"), Heading: v.lang.Text("unsubscribe"), Message: v.lang.Text("no_longer_sent", s.Shown()),
		Button: v.lang.Text("unsubscribe"), Action: v.subscriberPath(s.Token) + "/unsubscribe",
	})
}

// unsubscribe gives the same answer if the subscriber is already deleted: a mail program may ask twice.
func (p *Pages) unsubscribe(w http.ResponseWriter, r *http.Request) error {
	v, err := p.left(r)
	if err != nil {
		return err
	}
	if err := p.Status.UnsubscribeStatus(r.Context(), v.page.id, r.PathValue("token")); err != nil {
		return err
	}
	return p.showUnsubscribed(w, r, v)
}

func (p *Pages) showUnsubscribed(w http.ResponseWriter, r *http.Request, v visit) error {
	return p.answerPage(w, r, http.StatusOK, "subscriber", subscriberPage{
		Shell: v.bare("unsubscribed"), Heading: v.lang.Text("have_unsubscribed"), Message: v.lang.Text("address_deleted"),
	})
}
