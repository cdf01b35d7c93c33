package demo

import (
	"fmt"
	"strings"
	"time"
)

// visit is what a user did when an error occurred.
type visit struct {
	order, user, cart, id, host, browser string
	ms                                   int
}

var visitors = []string{
	"ines", "tobias", "amara", "luca", "sofia", "noah", "mila", "yusuf", "elena", "oskar", "chloe", "ravi", "hana", "diego", "freya", "malik", "zoe", "arun",
	"nina", "pavel", "leila", "tomas", "aisha", "jonas", "greta", "kenji", "olivia", "samir", "ida", "bruno",
}

// visitorOf returns the address of a visitor; a few come often.
func visitorOf(d dice) string {
	first := visitors[int(float64(len(visitors))*d.Float64()*d.Float64())]
	if n := int(14 * d.Float64() * d.Float64()); n > 0 {
		return fmt.Sprintf("%s%d@example.org", first, n)
	}
	return first + "@example.org"
}

// fill fills the holes of a text.
func (v visit) fill(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	return strings.NewReplacer("{order}", v.order, "{cart}", v.cart, "{ms}", fmt.Sprint(v.ms), "{product}", "p-"+v.order[1:], "{chunk}", v.order[2:], "{sku}", "SKU-"+v.order).Replace(text)
}

// request is what was asked for.
func (v visit) request(p *project, f *fault) noticeRequest {
	r := noticeRequest{
		Component: f.component, Action: f.action,
		Params:  map[string]any{"order_id": v.order, "gift_card": "GC-" + strings.ToUpper(v.cart[:4]), "card_number": "[FILTERED]", "locale": "en-GB"},
		Session: map[string]any{"session_id": "[FILTERED]", "cart_id": v.cart, "signed_in": true},
		Context: map[string]any{
			"user_id": v.order, "user_email": v.user, "tenant": "acme-eu", "cart_id": v.cart, "request_id": "01JD" + v.id, "feature": "gift_cards", "release_channel": "stable",
		},
		CGIData: map[string]string{},
	}
	if f.path == "" {
		r.Session = map[string]any{}
		return r
	}
	r.URL = p.plan.url + v.fill(f.path)
	method := "GET"
	if f.action == "create" || f.action == "post" || f.action == "submit" {
		method = "POST"
	}
	r.CGIData = map[string]string{
		"REQUEST_METHOD": method, "HTTP_HOST": strings.TrimPrefix(p.plan.url, "https://"), "HTTP_USER_AGENT": v.browser, "HTTP_ACCEPT_LANGUAGE": "en-GB,en;q=0.9",
		"REMOTE_ADDR": "203.0.113." + v.order[3:], "HTTP_AUTHORIZATION": "[FILTERED]", "HTTP_X_CSRF_TOKEN": "[FILTERED]",
		"HTTP_COOKIE": "session=[FILTERED]; locale=en-GB; cart=" + v.cart + "; theme=dark", "HTTP_REFERER": p.plan.url + "/cart", "SERVER_PROTOCOL": "HTTP/1.1",
	}
	return r
}

// trail is what happened before.
func (v visit) trail(p *project, f *fault, now time.Time) []breadcrumb {
	stamp := func(before time.Duration) string { return now.Add(-before).Format("2006-01-02T15:04:05.000Z07:00") }
	trail := []breadcrumb{
		{"query", "SELECT carts.* FROM carts WHERE id = ? LIMIT 1", stamp(110 * time.Millisecond), map[string]any{"duration_ms": 0.8}},
		{"query", "SELECT gift_cards.* FROM gift_cards WHERE code = ? LIMIT 1", stamp(90 * time.Millisecond), map[string]any{"duration_ms": 0.4, "rows": 0}},
		{"log", "Handling " + f.action + " for order " + v.order, stamp(40 * time.Millisecond), map[string]any{"level": "info", "host": v.host}},
		{"notice", f.class, stamp(0), map[string]any{"message": v.fill(f.message)}},
	}
	if f.path != "" {
		first := breadcrumb{"request", v.fill(f.path), stamp(200 * time.Millisecond), map[string]any{"action": f.action, "component": f.component}}
		if p.language.name == "javascript" {
			first = breadcrumb{"ui.click", "button#pay", stamp(1400 * time.Millisecond), map[string]any{"selector": "main > form > button#pay", "text": "Pay now"}}
		}
		trail = append([]breadcrumb{first}, trail...)
	}
	return trail
}
