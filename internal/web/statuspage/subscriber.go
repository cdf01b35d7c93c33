package statuspage

import (
	"net/http"
	"strconv"

	"sett/internal/sett"
	"sett/internal/sett/status"
)

// subscriberPage shows a message or a confirmation button to subscribers.
type subscriberPage struct {
	Shell
	Heading string
	Message string
	Secret  string            // the signing secret; "" for none
	Button  string            // "" for none
	Action  string            // URL of the button's form
	Other   string            // label of another link; "" for none
	Else    string            // URL of that link
	Choices []componentChoice // in the form of the button
}

// componentChoice is a component that a subscriber can choose.
type componentChoice struct {
	ID   int64
	Name string
	On   bool
}

// choices are those of a subscriber, for pages with more than one component.
func (p *Pages) choices(r *http.Request, v visit, s status.StatusSubscriber) (choices []componentChoice, err error) {
	chosen, err := p.Status.SubscriberChoices(r.Context(), s.ID)
	if components := v.rendered.view.Components; len(components) > 1 {
		for _, c := range components {
			choices = append(choices, componentChoice{c.ID, c.Name, chosen[s.ID].Has(c.ID)})
		}
	}
	return choices, err
}

// choose stores the components of a form that has a choice.
func (p *Pages) choose(w http.ResponseWriter, r *http.Request, v visit) error {
	r.Body = http.MaxBytesReader(w, r.Body, mostSubscribeBytes)
	_ = r.ParseForm() // one that cannot be read has no choice
	if !r.PostForm.Has("choose") {
		return nil // it only confirms
	}
	var chosen []int64
	for _, text := range r.PostForm["component"] {
		id, _ := strconv.ParseInt(text, 10, 64)
		chosen = append(chosen, id)
	}
	return p.Status.ChooseComponents(r.Context(), p.Now(), v.page.id, r.PathValue("token"), chosen)
}

// reached finds the page for a link in a mail, or for a mail program that unsubscribes many people from one address: that of the token's
// subscriber, which may have moved since the mail was sent, and another page may be there now. If there is no such subscriber, it is the page
// that is there. It does not ask for the page's password: subscribers entered it when they subscribed.
func (p *Pages) reached(r *http.Request) (visit, error) {
	if !p.views.allow(p.client(r), p.Now()) {
		return visit{}, tooMany()
	}
	v, err := p.find(r)
	if err != nil && sett.CodeOf(err) != sett.NotFound {
		return v, err
	}
	id, failed := p.Status.PageOfSubscriber(r.Context(), r.PathValue("token"))
	if failed != nil {
		return visit{}, failed
	}
	if page := p.index.Load().page(id); page != nil && page != v.page {
		return p.visitOf(r, page, false)
	}
	return v, err
}

// followed is reached, together with the subscriber of the link.
func (p *Pages) followed(r *http.Request) (v visit, s status.StatusSubscriber, err error) {
	if v, err = p.reached(r); err != nil {
		return v, s, err
	}
	s, err = p.Status.SubscriberByToken(r.Context(), p.Now(), v.page.id, r.PathValue("token"))
	return v, s, err
}

func (v *visit) subscriberPath(token string) string { return v.variant.root + "/subscribers/" + token }

func (p *Pages) confirmForm(w http.ResponseWriter, r *http.Request) error {
	v, s, err := p.followed(r)
	if err != nil {
		return err
	}
	if !s.ConfirmedAt.IsZero() {
		return p.showConfirmed(w, r, v, s)
	}
	choices, err := p.choices(r, v, s)
	if err != nil {
		return err
	}
	return p.answerPage(w, r, http.StatusOK, "subscriber", subscriberPage{
		Shell: v.bare("confirm"), Heading: v.lang.Text("get_updates"), Message: v.lang.Text("will_send", s.Shown()),
		Button: v.lang.Text("confirm"), Action: v.subscriberPath(s.Token), Choices: choices,
	})
}

func (p *Pages) confirm(w http.ResponseWriter, r *http.Request) error {
	v, err := p.reached(r)
	if err != nil {
		return err
	}
	if err := p.choose(w, r, v); err != nil {
		return err
	}
	s, err := p.Status.ConfirmSubscriber(r.Context(), p.Now(), v.page.id, r.PathValue("token"))
	if err != nil {
		return err
	}
	return p.showConfirmed(w, r, v, s)
}

func (p *Pages) showConfirmed(w http.ResponseWriter, r *http.Request, v visit, s status.StatusSubscriber) error {
	choices, err := p.choices(r, v, s)
	if err != nil {
		return err
	}
	page := subscriberPage{
		Shell: v.bare("confirmed"), Heading: v.lang.Text("subscribed"), Message: v.lang.Text("are_sent", s.Shown()),
		Other: v.lang.Text("unsubscribe"), Else: v.subscriberPath(s.Token) + "/unsubscribe", Choices: choices,
	}
	if len(choices) > 0 {
		page.Button, page.Action = v.lang.Text("save"), v.subscriberPath(s.Token)
	}
	return p.answerPage(w, r, http.StatusOK, "subscriber", page)
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
		Shell: v.bare("unsubscribe"), Heading: v.lang.Text("unsubscribe"), Message: v.lang.Text("no_longer_sent", s.Shown()),
		Button: v.lang.Text("unsubscribe"), Action: v.subscriberPath(s.Token) + "/unsubscribe",
	})
}

// unsubscribe gives the same answer if the subscriber is already deleted: a mail program may ask twice.
func (p *Pages) unsubscribe(w http.ResponseWriter, r *http.Request) error {
	v, err := p.reached(r)
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
