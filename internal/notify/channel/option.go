package channel

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sett/internal/sett"
)

// Option is one setting of a channel of some kind.
type Option struct {
	Name     string // in the interface
	Label    string // in forms
	About    string // a sentence, for forms and documentation
	Form     Form
	Choices  []string // of Choice
	Required bool
	Step     Step
	Secret   bool          // never shown again
	Default  string        // "" for none
	Generate func() string // instead of a default: generated for each integration that does not set the option
	Kept     bool          // a generated one is shown to those who may change it, and an integration without one gets it at its next change
}

// Step says where forms show an option. The interface takes all of them at any time.
type Step string

// The steps of options. One without a step comes first if it is required, else it is folded among the others.
const (
	First Step = "first" // beside what is required, because the kind needs this or another
	Later Step = "later" // only for a channel that exists
)

// Fold reports whether a form folds an option among those with defaults.
func (o Option) Fold() bool { return o.Step != First && (!o.Required || o.Generate != nil) }

// Form says what an option's value looks like. In the interface, all values are strings.
type Form string

// The forms of options.
const (
	Text    Form = "text"    // one line
	Address Form = "address" // that starts with http:// or https://
	Flag    Form = "flag"    // "0" or "1"
	Choice  Form = "choice"
	Emails  Form = "emails" // separated by commas
)

// Values are the options of an integration by their names; one that is not set is "".
type Values map[string]string

// Mask stands for a secret that is not shown. Sent back, it leaves the secret as it is.
const Mask = "********"

// mostOption is how many characters a value has at most.
const mostOption = 2048

// mostAddresses is how many email addresses a value has at most.
const mostAddresses = 20

// label is an option of every kind.
func label() Option {
	return Option{Name: "label", Label: "Label", About: "A name for this channel.", Form: Text}
}

// AllOptions returns the options of the kind and those that every kind has.
func (k Kind) AllOptions() []Option { return append(slices.Clone(k.Options), label()) }

// Apply returns the options of an integration that had those in old after people sent these: what they did not send stays,
// null resets, a masked secret stays as it is, and names that the kind does not know are left out. What is wrong is added to
// p. For a new integration old is nil.
func (k Kind) Apply(p *sett.Problems, old, sent map[string]any) map[string]any {
	result := map[string]any{}
	for _, o := range k.AllOptions() {
		text, set := o.apply(p, old, sent)
		if o.Kept && !set {
			text, set = o.Generate(), true
		}
		switch {
		case o.Required && !set:
			p.Add("options."+o.Name, "can't be blank")
		case set:
			result[o.Name] = text
		}
	}
	if k.Check != nil {
		k.Check(p, k.Values(result))
	}
	return result
}

func (o Option) apply(p *sett.Problems, old, sent map[string]any) (text string, set bool) {
	before, _ := old[o.Name].(string)
	value, was := sent[o.Name]
	switch {
	case was && value == nil && old != nil: // a new generated secret could never be shown
		text = o.Default
	case was && value == nil, !was && old == nil:
		text = o.fallback()
	case !was:
		return before, before != ""
	default:
		text = textOf(value)
	}
	if text == o.shown(before) || o.Secret && text == Mask {
		return before, before != ""
	}
	if problem := o.problem(text); problem != "" {
		p.Add("options."+o.Name, "%s", problem)
		return text, true
	}
	return text, text != ""
}

func (o Option) fallback() string {
	if o.Generate != nil {
		return o.Generate()
	}
	return o.Default
}

// textOf reads a value as lenient as clients are: booleans are "0" and "1", numbers are their digits.
func textOf(value any) string {
	switch v := value.(type) {
	case string:
		return strings.TrimSpace(v)
	case bool:
		return map[bool]string{false: "0", true: "1"}[v]
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case json.Number, int64, int:
		return fmt.Sprint(v)
	}
	return "\x00" // no form takes it
}

// problem says what is wrong with a value; "" for nothing.
func (o Option) problem(text string) string {
	switch {
	case text == "":
		return ""
	case utf8.RuneCountInString(text) > mostOption:
		return fmt.Sprintf("is too long (maximum is %d characters)", mostOption)
	case strings.ContainsFunc(text, unicode.IsControl):
		return "must be a string without line breaks"
	}
	switch o.Form {
	case Address:
		return addressProblem(text)
	case Flag:
		if text != "0" && text != "1" {
			return `must be "0" or "1"`
		}
	case Choice:
		if !slices.Contains(o.Choices, text) {
			return "must be one of " + strings.Join(o.Choices, ", ")
		}
	case Emails:
		return emailsProblem(text)
	}
	return ""
}

func addressProblem(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.ContainsAny(text, " \t") || isNumber(u.Hostname()) {
		return "must be a URL that starts with http:// or https://"
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "must have no port, or one from 1 to 65535"
		}
	}
	return ""
}

// isNumber reports whether a host is an IPv4 address in a form that only some resolvers accept, such as 0x7f.1 and
// 2130706433: no user means that (url.spec.whatwg.org#ends-in-a-number-checker).
func isNumber(host string) bool {
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	_, err := strconv.ParseUint(labels[len(labels)-1], 0, 64)
	_, no := netip.ParseAddr(host)
	return err == nil && no != nil
}

func emailsProblem(text string) string {
	all := addresses(text)
	if len(all) == 0 || len(all) > mostAddresses {
		return fmt.Sprintf("must be 1 to %d email addresses separated by commas", mostAddresses)
	}
	for _, address := range all {
		var p sett.Problems
		if sett.CheckEmail(&p, "email", address); len(p) > 0 {
			return fmt.Sprintf("must be email addresses separated by commas; %.60q is not one", address)
		}
	}
	return ""
}

// addresses splits the value of an Emails option.
func addresses(text string) (all []string) {
	for _, address := range strings.Split(text, ",") {
		if address = strings.TrimSpace(address); address != "" && !slices.Contains(all, address) {
			all = append(all, address)
		}
	}
	return all
}

// Show returns options as they may be shown: secrets are masked.
func (k Kind) Show(options map[string]any) map[string]any {
	shown := map[string]any{}
	for name, value := range options {
		shown[name] = value
	}
	for _, o := range k.AllOptions() {
		if text, set := shown[o.Name].(string); set {
			shown[o.Name] = o.shown(text)
		}
	}
	return shown
}

// shown returns a value as it may be shown. An address may hold a user and a password, which are masked in it.
func (o Option) shown(text string) string {
	switch {
	case text == "":
		return ""
	case o.Secret:
		return Mask
	case o.Form == Address:
		scheme, rest, _ := strings.Cut(text, "://")
		end := len(rest)
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			end = i
		}
		if at := strings.LastIndex(rest[:end], "@"); at >= 0 {
			return scheme + "://" + Mask + rest[at:]
		}
	}
	return text
}

// Values returns the options of an integration as senders take them.
func (k Kind) Values(options map[string]any) Values {
	values := Values{}
	for _, o := range k.AllOptions() {
		values[o.Name], _ = options[o.Name].(string)
	}
	return values
}
