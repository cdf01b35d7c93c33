package demo

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
)

// site is an address that is checked.
type site struct {
	checks.Site
	plan     sitePlan
	outages  []trouble
	cert     checks.ProbeCertificate
	slowFrom time.Time // of a plan that is slow now
}

// sitePlan says what a site is like.
type sitePlan struct {
	project   int
	name, url string
	minutes   int64
	locations []checks.Location
	base      time.Duration // what a check takes from the nearest location
	certDays  int           // that its certificate is valid from now on
	often     float64       // outages in 90 days
	downNow   bool
	slowNow   bool
}

// trouble is a time in which checks of a site fail.
type trouble struct {
	from, to  time.Time
	reason    string
	status    int
	locations []checks.Location // from which; none stands for all
}

var everywhere = checks.Locations()

func sitePlans() []sitePlan {
	few := []checks.Location{checks.Virginia, checks.Frankfurt, checks.London}
	return []sitePlan{
		{0, "checkout.acme.test", "https://checkout.acme.test/healthz", 5, everywhere, 84 * time.Millisecond, 61, 3, false, false},
		{0, "Payments gateway", "https://pay.acme.test/ping", 15, few, 120 * time.Millisecond, 12, 1, false, false},
		{0, "Gift cards", "https://checkout.acme.test/gift_cards/health", 15, few, 95 * time.Millisecond, 61, 0, false, true},
		{1, "www.acme.test", "https://www.acme.test/", 5, few, 140 * time.Millisecond, 47, 2, false, false},
		{1, "Search", "https://search.acme.test/status", 15, everywhere, 60 * time.Millisecond, 80, 2, false, false},
		{2, "Warehouse gateway", "https://gateway.inventory.acme.test/v1/ready", 15, few, 210 * time.Millisecond, 33, 2, true, false},
		{3, "Ledger API", "https://ledger.acme.test/health", 15, few, 72 * time.Millisecond, 25, 1, false, false},
		{4, "Push service", "https://push.acme.test/health", 15, few, 160 * time.Millisecond, 70, 1, false, false},
	}
}

var reasons = []trouble{
	{reason: "Connection refused"},
	{reason: "Expected 2xx, got 503 Service Unavailable", status: 503},
	{reason: "Timed out after 30 s waiting for headers"},
	{reason: "Expected 2xx, got 502 Bad Gateway", status: 502},
	{reason: "Certificate expired"},
}

// makeSites makes the sites.
func (w *world) makeSites(ctx context.Context) error {
	d := w.dice("sites")
	for i, plan := range sitePlans() {
		p := w.projects[plan.project]
		c := change[checks.SiteChange](`{"name":%q,"url":%q,"frequency":%d,"match_type":"success","request_headers":[{"key":"X-Probe","value":"sett"}]}`, plan.name, plan.url, plan.minutes)
		if len(plan.locations) < len(everywhere) {
			c.Locations = change[sett.Optional[[]string]](`["Virginia","Frankfurt","London"]`)
		}
		if plan.slowNow {
			c.SlowAfter, c.SlowChecks = sett.Some[int64](800), sett.Some[int64](2)
		}
		made, err := w.store.Uptime.CreateSite(ctx, w.from.Add(-17*time.Hour), p.id, c)
		if err != nil {
			return err
		}
		s := &site{Site: made, plan: plan, slowFrom: w.ago(80 * time.Minute)}
		s.cert = checks.ProbeCertificate{Fingerprint: d.hex(64), NotAfter: accounts.Day(w.to).AddDate(0, 0, plan.certDays).Add(12 * time.Hour), Subject: "CN=" + plan.name, Issuer: "CN=Acme CA,O=Acme Ltd"}
		s.breakDown(w, d)
		if w.sites = append(w.sites, s); i == 0 {
			w.SiteID = made.ID
		}
	}
	return nil
}

// breakDown decides when the site is down.
func (s *site) breakDown(w *world, d dice) {
	n := int(s.plan.often)
	for i := range n {
		at := w.from.Add(time.Duration(float64(w.to.Sub(w.from)) * (float64(i) + 0.2 + 0.6*d.Float64()) / float64(n))).Truncate(time.Minute)
		t := pick(d, reasons)
		t.from, t.to = at, at.Add(d.between(16*time.Minute, 70*time.Minute))
		s.outages = append(s.outages, t)
		alone := trouble{from: at.Add(-30 * time.Hour), reason: "Timed out after 30 s connecting", locations: []checks.Location{checks.Singapore}}
		alone.to = alone.from.Add(15 * time.Minute)
		s.outages = append(s.outages, alone)
	}
	if s.plan.downNow {
		s.outages = append(s.outages, trouble{from: w.ago(38 * time.Minute), to: w.to.AddDate(0, 0, 1), reason: "Expected 2xx, got 503 Service Unavailable", status: 503})
	}
}

// at returns what is wrong with the site at a time, seen from a location.
func (s *site) at(at time.Time, l checks.Location) (trouble, bool) {
	for _, t := range s.outages {
		if !at.Before(t.from) && at.Before(t.to) && (len(t.locations) == 0 || slices.Contains(t.locations, l)) {
			return t, true
		}
	}
	return trouble{}, false
}

// distances are by how much longer a check takes from elsewhere.
var distances = map[checks.Location]time.Duration{
	checks.Virginia: 0, checks.Oregon: 45 * time.Millisecond, checks.Frankfurt: 95 * time.Millisecond, checks.Singapore: 140 * time.Millisecond, checks.London: 80 * time.Millisecond,
}

// check is what a location finds at a time.
func (s *site) check(d dice, at time.Time, l checks.Location) checks.CheckReport {
	took := time.Duration(float64(s.plan.base+distances[l]) * (0.85 + 0.3*d.Float64()))
	if s.plan.slowNow && !at.Before(s.slowFrom) {
		took *= 14
	}
	if d.chance(0.01) {
		took *= 3
	}
	took = took.Truncate(time.Microsecond)
	r := checks.ProbeResult{At: at, Duration: took, Up: true, Status: 200, RemoteAddr: "192.0.2.10:443", Certificate: &s.cert}
	r.Phases = checks.ProbePhases{DNS: took / 20, Connect: took / 6, TLS: took / 5, FirstByte: took / 2, Body: took / 25}
	if t, down := s.at(at, l); down {
		r.Up, r.Status, r.Reason = false, t.status, t.reason
		r.Headers = map[string]string{"server": "nginx", "retry-after": "30", "content-type": "text/html"}
		r.Body = []byte("<html><title>" + t.reason + "</title></html>")
		r.Duration = min(took*4, 30*time.Second)
		if t.status == 0 {
			r.Headers, r.Body = nil, nil
		}
	}
	return checks.CheckReport{SiteID: s.ID, Location: l, Revision: s.Revision, Result: r}
}

// coarse and fine are how much of checks is recorded at once: while all is well, and while something is wrong.
const (
	coarse = 4 * time.Hour
	fine   = 5 * time.Minute
)

// planChecks has sites checked: some hours of checks at once, and as they come while something is wrong.
func (w *world) planChecks() {
	d := w.dice("checks")
	for from := w.from; from.Before(w.to); {
		start := from
		from = w.well(start)
		w.history.at(from, "checks", func(ctx context.Context, now time.Time) error { return w.look(ctx, d, start, now) })
	}
}

// well returns until when checks from a time on are recorded at once.
func (w *world) well(from time.Time) time.Time {
	end := from.Add(coarse)
	for _, s := range w.sites {
		for _, t := range s.outages {
			began, over := t.from.Add(-20*time.Minute), t.to.Add(20*time.Minute)
			switch {
			case len(t.locations) > 0 || !over.After(from):
			case began.After(from):
				end = earlier(end, began)
			default:
				end = earlier(end, from.Add(fine))
			}
		}
	}
	if lately := w.ago(time.Hour); !from.Before(lately) {
		end = earlier(end, from.Add(fine))
	} else {
		end = earlier(end, lately)
	}
	return earlier(end, w.to)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// look records what was found from one time until now.
func (w *world) look(ctx context.Context, d dice, from, now time.Time) error {
	var reports []checks.CheckReport
	for i, s := range w.sites {
		for j, l := range s.plan.locations {
			phase := time.Duration(7*i+11*j)*time.Second + 1500*time.Millisecond
			for _, at := range ticks(from.Add(-slowest), now.Add(-slowest), s.Interval(), phase) {
				reports = append(reports, s.check(d, at, l))
			}
		}
	}
	if len(reports) == 0 {
		return nil
	}
	if err := w.occupy(ctx, now); err != nil {
		return err
	}
	_, err := w.store.Uptime.RecordChecks(ctx, now, reports)
	return err
}

// slowest is how long after its begin a check is reported.
const slowest = 3 * time.Second

// ticks are the times from one until before another at which something is due that is due every so often.
func ticks(from, to time.Time, every, phase time.Duration) (all []time.Time) {
	at := from.Add(-phase).Truncate(every).Add(phase)
	if at.Before(from) {
		at = at.Add(every)
	}
	for ; at.Before(to); at = at.Add(every) {
		all = append(all, at)
	}
	return all
}

// makeAgents makes the agents of the other locations.
func (w *world) makeAgents(ctx context.Context) error {
	for i, l := range everywhere {
		if l == checks.Virginia {
			continue
		}
		if _, err := w.store.Uptime.CreateAgent(ctx, w.from.Add(-16*time.Hour), "probe-"+strconv.Itoa(i), l, fmt.Appendf(nil, "%s", w.ids.text(32))); err != nil {
			return err
		}
	}
	return nil
}

// occupy takes the lease of every location.
func (w *world) occupy(ctx context.Context, now time.Time) error {
	if _, err := w.store.Uptime.Occupy(ctx, now, checks.Virginia, "server", false, checks.AgentSilence); err != nil {
		return err
	}
	for i, l := range everywhere[1:] {
		r := checks.AgentReport{Location: l, Version: "1.0.0", HeardAt: now}
		if _, err := w.store.Uptime.AgentSeen(ctx, now, int64(i+1), r); err != nil {
			return err
		}
	}
	return nil
}
