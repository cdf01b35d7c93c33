package uptimedb_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/run"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

// referenceCheckIn is what a check-in should do, implemented differently: it lives through time in steps of ten seconds, of
// which all its times are multiples, and looks at every one of them. Times are seconds since 1970; 0 is none.
type referenceCheckIn struct {
	cron                               bool // its slots are the multiples of period; otherwise one comes a period after a ping
	period, grace                      int64
	state                              string
	known                              bool // pinged under this schedule
	newest, expected, deadline, misses int64
	missed                             int64 // the last of a row of misses that nothing else has come between
	history                            []string
	troubled                           bool // a problem was sent
	now, beat                          int64
	windows                            [][2]int64
	run                                string // "": none
	runStart, runEnd, limit            int64
	ended                              map[string]bool // runs
}

// start is a job that says that it starts.
func (r *referenceCheckIn) start(id string, limit int64) {
	if r.state == "paused" || r.misses >= 60 {
		return
	}
	if limit > 0 {
		r.limit = limit
	}
	switch {
	case r.ended[id]:
	case r.run == "":
		r.run, r.runStart, r.runEnd = id, r.now, r.now+r.limit
	case r.run == id:
		r.runEnd = max(r.runEnd, r.now+r.limit)
	}
	if slot := r.slotAfterPing(r.now); r.known && slot > r.expected {
		r.expected, r.deadline, r.missed = slot, slot+r.grace, 0
	}
}

// end is a ping that says which run ended; "" is any.
func (r *referenceCheckIn) end(id string, limit, at int64) {
	if limit > 0 {
		r.limit = limit
	}
	if id != "" {
		r.ended[id] = true
	}
	if id == "" || id == r.run {
		r.run, r.runEnd = "", 0
	}
	r.ping(at)
}

// overran is a run that has not ended in time.
func (r *referenceCheckIn) overran(now int64) {
	if r.wasBlind(r.runEnd) {
		r.add("forgiven", now)
		r.runEnd = now + 120
		return
	}
	r.add("missing", r.runEnd)
	r.state, r.misses, r.troubled = "missing", r.misses+1, true
	r.run, r.runEnd = "", 0
}

func (r *referenceCheckIn) add(kind string, at int64) {
	r.history = append(r.history, fmt.Sprint(kind, " ", time.Unix(at, 0).UTC().Format(time.DateTime)))
}

func (r *referenceCheckIn) await(slot int64) {
	r.state, r.misses, r.expected, r.deadline, r.missed = "reporting", 0, slot, slot+r.grace, 0
}

func (r *referenceCheckIn) slotAfter(t int64) int64 {
	if r.cron {
		return t - t%r.period + r.period
	}
	return t + r.period
}

func (r *referenceCheckIn) ping(at int64) {
	if at < r.newest && r.state != "missing" {
		return // a newer one says how the job does
	}
	r.newest, r.known = max(r.newest, at), true
	if r.troubled {
		r.add("reporting", at)
	}
	r.troubled = false
	if r.state == "paused" {
		r.misses = 0
		return
	}
	r.await(r.slotAfterPing(r.newest))
}

func (r *referenceCheckIn) slotAfterPing(at int64) int64 {
	slot := r.slotAfter(at)
	if r.cron && slot-at <= min(60, r.period/2) {
		slot += r.period
	}
	return slot
}

// SetBack begins anew where something was noted that cannot be, five minutes and more from now.
func (r *referenceCheckIn) setBack(now int64) {
	r.windows = slices.DeleteFunc(r.windows, func(w [2]int64) bool { return w[1] > now+300 })
	if r.newest > now+300 {
		r.newest = now
	}
	if r.run != "" && r.runStart > now+300 {
		r.runStart, r.runEnd = now, now+r.runEnd-r.runStart
	}
	if r.state != "paused" && r.deadline > r.slotAfterPing(now+300)+r.grace {
		r.add("forgiven", now)
		r.expected = r.slotAfter(now)
		r.deadline = r.expected + r.grace
	}
}

// live goes on to a time. While servers are alive, what is due happens when it is; when they come back, what was due
// meanwhile is moved.
func (r *referenceCheckIn) live(to int64, asleep bool) {
	if r.beat > to+300 {
		r.setBack(to)
	}
	if asleep && to-r.beat > 30 {
		r.windows = append(r.windows, [2]int64{r.beat, to})
		r.now = to
	}
	if to < r.now {
		r.missed = 0 // of a time that is still to come
	}
	for r.now = min(r.now, to); r.now <= to; r.now += 10 { // the clock may have been set back
		for r.deadline != 0 && r.deadline <= r.now || r.run != "" && r.runEnd <= r.now {
			if r.run != "" && (r.deadline == 0 || r.runEnd <= r.deadline) {
				r.overran(to)
			} else {
				r.due(to)
			}
		}
	}
	if r.now = to; r.beat < to || r.beat > to+300 {
		r.beat = to
	}
}

func (r *referenceCheckIn) due(now int64) {
	at := r.deadline
	switch {
	case r.state == "paused":
		r.resume(at)
	case r.wasBlind(at):
		r.add("forgiven", now)
		r.forgive(now)
	default:
		r.add("missing", at)
		if r.missed != 0 && at-r.missed < min(r.period, 120) {
			r.add("twice for one deadline", at)
		}
		r.state, r.misses, r.missed, r.troubled = "missing", r.misses+1, at, true
		r.expected = r.slotAfter(r.expected)
		if r.deadline = r.expected + r.grace; r.misses >= 60 || time.Unix(at, 0).After(time.Unix(r.newest, 0).UTC().AddDate(0, 6, 0)) {
			r.deadline = 0
		}
	}
}

// forgive expects the ping now, or so much later that its deadline is two minutes away, and with cron at the slot that is
// at most two minutes after that.
func (r *referenceCheckIn) forgive(now int64) {
	r.expected = max(now+r.grace, now+120) - r.grace
	if wait := (r.period - r.expected%r.period) % r.period; r.cron && wait <= 120 {
		r.expected += wait
	}
	r.deadline = r.expected + r.grace
}

func (r *referenceCheckIn) wasBlind(at int64) bool {
	for _, w := range r.windows {
		if at > w[0] && at <= w[1] {
			return true
		}
	}
	return false
}

func (r *referenceCheckIn) resume(at int64) {
	r.add("resumed", at)
	r.misses, r.expected, r.deadline = 0, 0, 0
	if r.known {
		r.await(r.slotAfter(at))
	}
	r.state = "pending"
}

func (r *referenceCheckIn) pause(until int64) {
	r.add("paused", r.now)
	r.state, r.expected, r.deadline, r.run, r.runEnd = "paused", 0, until, "", 0
}

func (r *referenceCheckIn) edit(period, grace int64) {
	if period == r.period && grace == r.grace {
		return
	}
	r.add("changed", r.now)
	switch {
	case period != r.period:
		r.missed = 0
		r.state, r.known, r.expected, r.deadline, r.misses = "pending", false, 0, 0, 0
	case r.state != "paused" && r.deadline != 0:
		r.deadline, r.missed = r.deadline+grace-r.grace, 0
	}
	r.period, r.grace = period, grace
}

// modelled is a check-in in the store beside the reference, which are to agree.
type modelled struct {
	*desk
	*rapid.T
	id  string
	ref referenceCheckIn
}

var modelPeriods = map[int64]struct{ simple, cron string }{
	60: {"1 minute", "* * * * *"}, 900: {"15", "*/15 * * * *"}, 3600: {"1 hour", "0 * * * *"}, 86400: {"24 hours", "@daily"},
}

var modelGraces = map[int64]string{0: "", 60: "1 minute", 1800: "30 minutes"}

func (m *modelled) drawPeriod() int64 {
	return rapid.SampledFrom([]int64{60, 900, 3600, 86400}).Draw(m.T, "period")
}

func (m *modelled) drawGrace() int64 {
	return rapid.SampledFrom([]int64{0, 60, 1800}).Draw(m.T, "grace")
}

func (m *modelled) drawTens(most int64) int64 {
	return 10 * rapid.OneOf(rapid.Int64Range(1, min(most, 12)), rapid.Int64Range(1, min(most, 800)), rapid.Int64Range(1, most)).Draw(m.T, "tens")
}

func (m *modelled) must(err error) {
	m.Helper()
	if err != nil {
		m.T.Fatal(err)
	}
}

func (m *modelled) time() time.Time { return time.Unix(m.ref.now, 0).UTC() }

// change is what gives the check-in these settings.
func (m *modelled) change(period, grace int64) (c checks.CheckInChange) {
	c.GracePeriod, c.ReminderInterval = sett.Some(checks.PeriodText(modelGraces[grace])), sett.Some(checks.PeriodText(checks.RemindNever))
	if m.ref.cron {
		c.ScheduleType, c.CronSchedule = sett.Some("cron"), sett.Some(modelPeriods[period].cron)
	} else {
		c.ReportPeriod = sett.Some(checks.PeriodText(modelPeriods[period].simple))
	}
	return c
}

// live goes on by some seconds, then a server beats and sweeps, as after a restart when none was alive meanwhile.
func (m *modelled) live(seconds int64, asleep bool) {
	to := m.ref.now + seconds
	m.ref.live(to, asleep)
	if !asleep {
		m.Run("UPDATE beats SET last_at = $1 WHERE last_at < $1", (to-10)*1e6) // as if it had beaten all the time
	}
	_, err := m.Uptime.Beat(m.desk.T.Context(), m.time(), checks.Beginning{})
	m.must(err)
	for more := true; more; {
		more, _, err = m.Uptime.SweepCheckIns(m.desk.T.Context(), m.time(), 10)
		m.must(err)
	}
}

func (m *modelled) ping() {
	var pings []uptimedb.PingReport
	for range rapid.IntRange(1, 3).Draw(m.T, "pings") {
		at := m.ref.now - 10*rapid.Int64Range(0, 3).Draw(m.T, "late")
		m.ref.end("", 0, at)
		pings = append(pings, uptimedb.PingReport{ID: m.id, Ping: checks.Ping{At: time.Unix(at, 0).UTC()}})
	}
	_, err := m.Uptime.RecordPings(m.desk.T.Context(), pings)
	m.must(err)
}

// run starts or ends a run.
func (m *modelled) run(starts bool) {
	id, limit := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(m.T, "run"), rapid.SampledFrom([]int64{0, 0, 60, 7200}).Draw(m.T, "limit")
	if starts {
		m.ref.start(id, limit)
	} else {
		m.ref.end(id, limit, m.ref.now)
	}
	_, err := m.Uptime.RecordPings(m.desk.T.Context(), []uptimedb.PingReport{{ID: m.id, Ping: checks.Ping{
		At: m.time(), Run: run.Report{ID: id, Started: starts, Longest: time.Duration(limit) * time.Second},
	}}})
	m.must(err)
}

func (m *modelled) edit() {
	period, grace := m.drawPeriod(), m.drawGrace()
	m.ref.edit(period, grace)
	m.must(m.Uptime.UpdateCheckIn(m.desk.T.Context(), m.time(), m.ProjectID, m.id, m.change(period, grace)))
}

func (m *modelled) pause() {
	until := m.ref.now + m.drawTens(1000)
	m.ref.pause(until)
	m.must(m.Uptime.PauseCheckIn(m.desk.T.Context(), m.time(), m.ProjectID, m.id, time.Unix(until, 0).UTC()))
}

func (m *modelled) unpause() {
	if m.ref.state == "paused" {
		m.ref.resume(m.ref.now)
	}
	m.must(m.Uptime.UnpauseCheckIn(m.desk.T.Context(), m.time(), m.ProjectID, m.id))
}

func (m *modelled) check() {
	at := func(t time.Time) int64 { return db.Micros(t) / 1e6 }
	c, err := m.Uptime.CheckInByID(m.desk.T.Context(), m.ProjectID, m.id)
	m.must(err)
	got := fmt.Sprint(c.State, " reported ", at(c.ReportedAt), " expected ", at(c.ExpectedAt), " deadline ", at(c.DeadlineAt), " missed ", c.MissedCount, " run ", c.Run.ID, " until ", at(c.Run.DeadlineAt))
	want := fmt.Sprint(m.ref.state, " reported ", m.ref.newest, " expected ", m.ref.expected, " deadline ", m.ref.deadline, " missed ", m.ref.misses, " run ", m.ref.run, " until ", m.ref.runEnd)
	if got != want {
		m.Fatalf("at %d the check-in is\n%s, want\n%s\nhistory: %q", m.ref.now, got, want, m.ref.history)
	}
}

// checkTurns looks whether the last turn led to what the check-in is.
func (m *modelled) checkTurns() {
	var state string
	m.Scan(`SELECT coalesce((SELECT t.state FROM check_in_turns t JOIN check_ins c ON c.number = t.check_in WHERE c.id = $1
		ORDER BY t.id DESC LIMIT 1), 'pending')`, []any{m.id}, &state)
	if state != m.ref.state {
		m.Fatalf("the last turn is to %s, the check-in is %s; history: %q", state, m.ref.state, m.ref.history)
	}
}

func (m *modelled) checkHistory() {
	events, _, err := m.Uptime.ListCheckInEvents(m.desk.T.Context(), m.ProjectID, m.id, sett.Page{Size: 1e6})
	m.must(err)
	var got []string
	for i := len(events) - 1; i >= 0; i-- {
		if e := events[i]; e.Kind != checks.CheckInReported {
			got = append(got, fmt.Sprint(e.Kind, " ", e.At.Format(time.DateTime)))
		}
	}
	if diff := cmp.Diff(m.ref.history, got); diff != "" {
		m.Fatalf("history (-want +got):\n%s", diff)
	}
}

// Whatever happens to a check-in, it is as the reference says.
func TestCheckInsAgreeWithTheReference(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		start := storetest.Noon.Unix()
		rapid.Check(t, func(rt *rapid.T) {
			m := &modelled{desk: d, T: rt}
			m.ref = referenceCheckIn{cron: rapid.Bool().Draw(rt, "cron"), state: "pending", now: start, beat: start, limit: 1800, ended: map[string]bool{}}
			m.ref.period, m.ref.grace = m.drawPeriod(), m.drawGrace()
			d.Run("UPDATE beats SET last_at = $1", start*1e6)
			c, err := d.Uptime.CreateCheckIn(t.Context(), m.time(), d.ProjectID, m.change(m.ref.period, m.ref.grace))
			m.must(err)
			m.id = c.ID
			steps := map[string]func(){
				"ping": m.ping, "ping again": m.ping, "edit": m.edit, "pause": m.pause, "unpause": m.unpause,
				"wait":       func() { m.live(m.drawTens(100_000), false) },
				"wait a bit": func() { m.live(m.drawTens(300), false) },
				"restart":    func() { m.live(m.drawTens(10_000), true) },
				"set back":   func() { m.live(-m.drawTens(60), true) },
				"start":      func() { m.run(true) },
				"end":        func() { m.run(false) },
				"set right":  func() { m.live(-m.drawTens(10_000), true) },
			}
			names := slices.Sorted(maps.Keys(steps))
			for range rapid.IntRange(1, 30).Draw(rt, "steps") {
				steps[rapid.SampledFrom(names).Draw(rt, "step")]()
				m.check()
				m.checkTurns()
				start = max(start, m.ref.now+86400)
			}
			m.checkHistory()
			m.must(d.Uptime.DeleteCheckIn(t.Context(), d.ProjectID, m.id))
		})
	})
}
