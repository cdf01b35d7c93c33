package statuspage

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"sett/internal/sett/status"
	"sett/internal/sett/status/card"
	"sett/internal/sett/status/locale"
)

// The names of pictures for links are card.HASH.png, and card-ID.HASH.png of an incident. The hash is of what a picture shows, so that those who
// keep pictures by their address fetch a new one when the state changes.
const cardStem = "card"

// mostCards is how many pictures are kept, of all pages together: about 2 MB.
const mostCards = 64

// cards are pictures by what they show. They are drawn when they are requested, one at a time, as each takes 3 MB meanwhile.
type cards struct {
	drawing sync.Mutex
	mu      sync.Mutex
	kept    map[string]*document
	order   []string // the oldest first
}

// of returns the picture of a card.
func (k *cards) of(c card.Card) (*document, error) {
	key := c.Key()
	if d := k.get(key); d != nil {
		return d, nil
	}
	k.drawing.Lock()
	defer k.drawing.Unlock()
	if d := k.get(key); d != nil { // drawn meanwhile
		return d, nil
	}
	body, err := c.PNG()
	if err != nil {
		return nil, err
	}
	d := newPlain(cardForm, body)
	k.keep(key, d)
	return d, nil
}

func (k *cards) get(key string) *document {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept[key]
}

func (k *cards) keep(key string, d *document) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil {
		k.kept = map[string]*document{}
	}
	if len(k.order) == mostCards {
		delete(k.kept, k.order[0])
		k.order = slices.Delete(k.order, 0, 1)
	}
	k.kept[key], k.order = d, append(k.order, key)
}

// card returns what the picture of the page shows. Where the fonts lack letters, it shows the state in English, and less of the rest.
func (f *variant) card() card.Card {
	view := f.rendered.view
	overall := view.Overall()
	c := f.plainCard(overallMood(overall))
	if c.Title = card.Readable(caption(f.lang, view, overall)); c.Title == "" {
		view.Page.Features = status.StatusFeatures{}
		c.Title = caption(locale.English, view, overall)
	}
	return c
}

// cardOf returns what the picture of an incident shows; instead of a name that cannot be written, its day.
func (f *variant) cardOf(i status.StatusIncident) card.Card {
	i = i.In(f.lang)
	c := f.plainCard(statusMood(i))
	if c.Title = card.Readable(i.Name); c.Title == "" {
		c.Title = locale.English.Date(i.ListedAt())
	}
	if c.State = card.Readable(f.lang.Text(string(i.Status))); c.State == "" {
		c.State = locale.English.Text(string(i.Status))
	}
	return c
}

func (f *variant) plainCard(m mood) card.Card {
	page := f.rendered.view.Page
	c := card.Card{Name: card.Readable(page.Name), Ink: "#" + m.Color(), Accent: defaultAccent}
	if page.Features.AccentColor != "" {
		c.Accent = page.Features.AccentColor
	}
	if u, err := url.Parse(f.rendered.address(f.url)); err == nil {
		c.Place = card.Readable(u.Host)
	}
	if l := f.rendered.logo; l != nil && page.Logo.Ink != "light" {
		c.Logo = l.body
	}
	return c
}

// defaultAccent is the color of links of the style.
const defaultAccent = "#2f4fa8"

// picture returns the address of a card, which is "" for a page with a password: nothing that fetches pictures has it.
func (f *variant) picture(stem string, c card.Card) string {
	if f.rendered.protected() {
		return ""
	}
	return fmt.Sprintf("%s/s/%s.%s.png", f.rendered.address(f.url), stem, c.Key())
}

func incidentStem(id int64) string { return fmt.Sprintf("%s-%d", cardStem, id) }

// cardNamed returns the picture of a file name as it is now, nil if it is none, and whether the name is of just this picture.
func (f *variant) cardNamed(name string) (d *document, current bool, err error) {
	stem, key, _ := strings.Cut(strings.TrimSuffix(name, ".png"), ".")
	var c card.Card
	if stem == cardStem {
		c = f.card()
	} else {
		at := slices.IndexFunc(f.rendered.history, func(i status.StatusIncident) bool { return stem == incidentStem(i.ID) })
		if at < 0 {
			return nil, false, nil
		}
		c = f.cardOf(f.rendered.history[at])
	}
	d, err = f.pages.cards.of(c)
	return d, key == c.Key(), err
}
