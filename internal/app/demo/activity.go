package demo

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"sett/internal/sett/insight"
)

// activities are what programs of a language report as structured events, with how often each occurs.
var activities = map[string][]activity{
	"ruby": {
		{5, "process_action.action_controller", (*doing).railsRequest},
		{2, "perform.sidekiq", (*doing).sidekiqJob},
		{1, "order.paid", (*doing).order},
	},
	"js":     {{3, "page.view", (*doing).pageView}, {1, "log", (*doing).logLine}},
	"golang": {{4, "request", (*doing).request}, {1, "stock.reserved", (*doing).reservation}},
	"python": {{2, "django.request", (*doing).djangoRequest}, {1, "celery.task_finished", (*doing).celeryTask}},
	"other":  {{2, "screen.view", (*doing).pageView}, {1, "log", (*doing).logLine}},
}

// activity is one kind of event.
type activity struct {
	weight int
	kind   string
	report func(*doing)
}

// doing is something that a program does.
type doing struct {
	*project
	dice
	at     time.Time
	host   string
	id     string // of the request
	ms     float64
	failed string // the class of the error that it failed with
	path   string
	action string
	of     string // component
	events []insight.Event
}

// activity returns the events of something that a program did.
func (w *world) activity(p *project, d dice, at time.Time) []insight.Event {
	all := activities[p.plan.language]
	sum := 0
	for _, a := range all {
		sum += a.weight
	}
	n := d.IntN(sum)
	for _, a := range all {
		if n -= a.weight; n < 0 {
			return w.doing(p, d, at).did(a)
		}
	}
	return nil
}

func (w *world) doing(p *project, d dice, at time.Time) *doing {
	x := &doing{project: p, dice: d, at: at, host: pick(d, p.language.hosts), id: "01JD" + d.text(13), of: pick(d, p.plan.components), action: pick(d, p.plan.actions)}
	x.path = "/" + pick(d, []string{"orders", "carts", "products", "gift-cards", "search", "accounts"})
	if d.chance(0.6) {
		x.path += "/" + strconv.Itoa(40_000+d.IntN(9_999))
	}
	x.ms = math.Exp(d.NormFloat64()*0.7 + 3.4) // most take some 30 ms, few a second
	if p.runs(at).bad {
		x.ms *= 4
	}
	return x
}

// noteError notes the events of the request in which an error occurred, if these are still kept.
func (w *world) noteError(o occurred, v visit, now time.Time) {
	if now.Before(w.to.Add(-insight.Keep)) {
		return
	}
	x := w.doing(o.project, w.dice("events of "+v.id), now)
	x.host, x.id, x.failed, x.of, x.action, x.ms = v.host, "01JD"+v.id, o.fault.class, o.fault.component, o.fault.action, float64(v.ms)/10
	if o.fault.path != "" {
		x.path = v.fill(o.fault.path)
	}
	o.project.events = append(o.project.events, x.did(activities[o.plan.language][0])...)
}

func (x *doing) did(a activity) []insight.Event {
	x.add(a.kind)
	a.report(x)
	return x.events
}

// add adds an event of a kind, with what all events of the program have.
func (x *doing) add(kind string) {
	x.events = append(x.events, insight.Event{At: x.at.UnixMicro(), Fields: []insight.Field{
		insight.TextField(insight.KeyType, kind), insight.TextField("environment", "production"), insight.TextField("hostname", x.host), insight.TextField("request_id", x.id),
	}})
}

// text, number and duration add a field to the last event.
func (x *doing) text(key, value string) { x.field(insight.TextField(key, value)) }

func (x *doing) number(key string, n float64) { x.field(insight.NumberField(key, n)) }

func (x *doing) duration(key string, ms float64) { x.number(key, math.Round(ms*100)/100) }

func (x *doing) field(f insight.Field) {
	last := &x.events[len(x.events)-1]
	last.Fields = append(last.Fields, f)
}

// status returns the status of a response.
func (x *doing) status() float64 {
	switch {
	case x.failed != "":
		return 500
	case x.chance(0.03):
		return 404
	case x.chance(0.01):
		return 422
	}
	return 200
}

func (x *doing) railsRequest() {
	x.text("controller", x.of)
	x.text("action", x.action)
	x.request()
	x.duration("db_runtime", x.ms*0.3)
	x.duration("view_runtime", x.ms*0.5)
	x.add("sql.active_record")
	x.text("query", pick(x.dice, []string{
		"SELECT carts.* FROM carts WHERE id = ? LIMIT 1", "SELECT gift_cards.* FROM gift_cards WHERE code = ? LIMIT 1", "UPDATE orders SET state = ? WHERE id = ?",
		"SELECT products.* FROM products WHERE sku IN (?) ORDER BY position",
	}))
	x.duration("duration", x.ms*0.2)
}

func (x *doing) request() {
	x.text("method", pick(x.dice, []string{"GET", "GET", "GET", "POST"}))
	x.text("path", x.path)
	x.number("status", x.status())
	x.duration("duration", x.ms)
	if x.failed != "" {
		x.text("error", x.failed)
	}
}

func (x *doing) sidekiqJob() {
	x.text("worker", pick(x.dice, []string{"PaymentsJob", "RefundsJob", "RatesImporter", "ReceiptMailer"}))
	x.text("queue", pick(x.dice, []string{"default", "default", "mailers", "low"}))
	x.duration("duration", 8*x.ms)
	x.text("status", pick(x.dice, []string{"success", "success", "success", "success", "retried"}))
}

func (x *doing) order() {
	x.number("amount", float64(900+x.IntN(19_000))/100)
	x.text("currency", pick(x.dice, []string{"EUR", "EUR", "GBP", "SEK"}))
	x.text("plan", pick(x.dice, []string{"guest", "member", "gold"}))
	x.text("user.email", visitorOf(x.dice))
}

func (x *doing) pageView() {
	x.text("path", x.path)
	x.text("component", x.of)
	x.duration("load_ms", 20*x.ms)
	x.text("browser", pick(x.dice, []string{"Chrome", "Chrome", "Safari", "Firefox", "Edge"}))
	if x.failed != "" {
		x.text("error", x.failed)
	}
}

func (x *doing) logLine() {
	x.text("severity", pick(x.dice, []string{"info", "info", "info", "warn", "error"}))
	x.text("message", pick(x.dice, []string{
		fmt.Sprintf("cart synchronised in %.0f ms", x.ms), "recommendations are not available, showing bestsellers", "image loaded from the second mirror",
		fmt.Sprintf("%d items restored from the last visit", 1+x.IntN(9)),
	}))
}

func (x *doing) reservation() {
	x.text("sku", fmt.Sprintf("SKU-%d", 40_000+x.IntN(400)))
	x.number("quantity", float64(1+x.IntN(5)))
	x.text("warehouse", pick(x.dice, []string{"hamburg", "lyon", "turin"}))
	x.duration("duration", x.ms/4)
}

func (x *doing) djangoRequest() {
	x.text("view", x.of)
	x.request()
}

func (x *doing) celeryTask() {
	x.text("task", x.of)
	x.text("state", pick(x.dice, []string{"SUCCESS", "SUCCESS", "SUCCESS", "RETRY"}))
	x.duration("duration", 12*x.ms)
}
