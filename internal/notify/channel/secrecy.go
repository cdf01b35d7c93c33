package channel

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
)

// shortestSecret is how long a text is at least that is kept out of failures, in bytes: a shorter one would be found in
// the middle of words.
const shortestSecret = 4

// shortestPart is the same for a part of a secret address.
const shortestPart = 8

// discreet returns the kind with senders that keep its secrets out of what they say, even when the other side repeats
// what it was sent.
func (k Kind) discreet() Kind {
	makes := k.Make
	k.Make = func(t Tools, v Values) Sender {
		t.secrets = append(slices.Clip(t.secrets), k.secrets(v)...)
		return discreetSender{makes(t, v), t}
	}
	return k
}

type discreetSender struct {
	Sender
	tools Tools
}

func (s discreetSender) Send(ctx context.Context, m Message) (Receipt, error) {
	receipt, err := s.Sender.Send(ctx, m)
	if f, ok := errors.AsType[*Failure](err); ok {
		f.Problem = s.tools.hide(f.Problem)
	}
	return receipt, err
}

// hide takes the secrets out of a text.
func (t Tools) hide(text string) string {
	var forms []string
	for _, secret := range t.secrets {
		forms = append(forms, secret, url.QueryEscape(secret), url.PathEscape(secret), strings.ReplaceAll(secret, "/", `\/`))
	}
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) }) // no part of one stays where it is in another
	for _, form := range forms {
		text = strings.ReplaceAll(text, form, "***")
	}
	return text
}

// secrets are the texts in these values that must not be shown.
func (k Kind) secrets(v Values) (all []string) {
	for _, o := range k.AllOptions() {
		value := v[o.Name]
		switch {
		case o.Form == Address:
			all = append(all, secretsOf(value, o.Secret)...)
		case o.Secret && len(value) >= shortestSecret:
			all = append(all, value)
		}
	}
	return all
}

// secretsOf are the secrets in an address: its user and password, and when it is secret as a whole, whatever of it could
// be one.
func secretsOf(address string, whole bool) (all []string) {
	u, err := url.Parse(address)
	if err != nil {
		return []string{address}
	}
	password, _ := u.User.Password()
	if all = atLeast(shortestSecret, u.User.Username(), password); !whole || address == "" {
		return all
	}
	all = append(all, atLeast(shortestPart, address, u.RequestURI())...)
	all = append(all, atLeast(shortestPart, strings.Split(u.Path, "/")...)...)
	for _, values := range u.Query() {
		all = append(all, atLeast(shortestPart, values...)...)
	}
	return all
}

func atLeast(length int, texts ...string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return len(text) < length })
}
