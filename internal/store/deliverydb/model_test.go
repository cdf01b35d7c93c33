package deliverydb_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store"
	"sett/internal/store/deliverydb"
	"sett/internal/store/storetest"
)

// deliveryModel lives through a random story of alerts, claims, failures and deaths of claimers, and watches that none is
// lost, or overtaken by what people did not ask for again.
type deliveryModel struct {
	*desk
	rand   *rand.Rand
	now    time.Time
	alerts int
	last   map[deliverydb.ReceiverSubject]int64 // the newest delivery that was claimed
	hands  [][]deliverydb.ClaimedDelivery       // of claimers that live
	dead   [][]deliverydb.ClaimedDelivery
	phase  map[alerts.AlertSubject]int
	asked  map[int64]bool // deliveries that were asked for again
}

func TestDeliveriesOfRandomStories(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		const integrations = 4
		for n := range integrations - 1 {
			d.WebHook(limited(int64(4 + 40*n)))
		}
		d.quiet(d.WebHook(limited(30)), alerts.QuietHours{From: "12:10", To: "12:35", Urgent: true})
		for seed := range uint64(4) {
			d.Run(`DELETE FROM alerts`)
			d.Run(`DELETE FROM floods`)
			m := &deliveryModel{
				desk: d, rand: rand.New(rand.NewPCG(seed, 1)), now: storetest.Noon.AddDate(0, 0, int(seed)),
				last: map[deliverydb.ReceiverSubject]int64{}, phase: map[alerts.AlertSubject]int{},
				asked: map[int64]bool{},
			}
			for range 120 {
				m.step()
			}
			m.finish()
			m.check(fmt.Sprint("seed ", seed), integrations)
		}
	})
}

func (m *deliveryModel) step() {
	m.now = m.now.Add(time.Duration(m.rand.IntN(40)) * time.Second)
	defer m.wantTurns("on the way")
	switch m.rand.IntN(9) {
	case 0, 1:
		m.happens()
	case 2, 3:
		if _, err := m.Deliveries.FanOutAlerts(m.T.Context(), m.now, 1+m.rand.IntN(5), false); err != nil {
			m.T.Fatal(err)
		}
	case 4, 5:
		m.claims(1 + m.rand.IntN(6))
	case 6:
		m.ends()
	case 7:
		if m.rand.IntN(3) == 0 {
			m.closeFloods(m.now)
		}
		m.dies()
	case 8:
		m.asks()
	}
}

// ended returns what was sent or given up.
func (m *deliveryModel) ended() (ended []deliverydb.ClaimedDelivery) {
	all, err := m.Deliveries.Deliveries(m.T.Context(), m.Read, `SELECT `+deliverydb.DeliveryColumns+` FROM deliveries d WHERE d.state IN ('sent', 'failed') ORDER BY d.id`)
	if err != nil {
		m.T.Fatal(err)
	}
	for _, d := range all {
		ended = append(ended, deliverydb.ClaimedDelivery{Delivery: d})
	}
	return ended
}

// asks redelivers a delivery that was sent or given up.
func (m *deliveryModel) asks() {
	ended := m.ended()
	if len(ended) == 0 {
		return
	}
	c := ended[m.rand.IntN(len(ended))]
	m.again(m.now, c)
	m.asked[c.ID] = true
}

// happens raises some alerts: sites and check-ins go their ways, faults whatever way.
func (m *deliveryModel) happens() {
	ways := map[alerts.AlertSubject][]alerts.AlertEvent{
		"site a":     {alerts.AlertDown, alerts.AlertUp},
		"site b":     {alerts.AlertDown, alerts.AlertCertWillExpire, alerts.AlertUp},
		"check_in c": {alerts.AlertCheckInMissing, alerts.AlertCheckInMissing, alerts.AlertCheckInReporting},
		"fault 1":    {alerts.AlertOccurred, alerts.AlertCommented, alerts.AlertResolved},
	}
	var raised []alerts.Alert
	for range 1 + m.rand.IntN(3) {
		subject := []alerts.AlertSubject{"site a", "site b", "check_in c", "fault 1"}[m.rand.IntN(4)]
		way := ways[subject]
		raised = append(raised, alerts.Alert{Event: way[m.phase[subject]%len(way)], Subject: subject})
		m.phase[subject]++
	}
	m.alerts += len(raised)
	m.Happen(m.now, raised...)
}

func (m *deliveryModel) claims(limit int) {
	claimed, err := m.Deliveries.ClaimDeliveries(m.T.Context(), m.now, storetest.DeliveryLease, limit, storetest.AnyRoom)
	if err != nil {
		m.T.Fatal(err)
	}
	for _, c := range claimed {
		if m.asked[c.ID] {
			continue
		}
		line := deliverydb.ReceiverSubject{Receiver: c.Receiver, AlertSubject: c.Subject}
		if c.ID < m.last[line] {
			m.T.Errorf("delivery %d to %s about %s was claimed after %d", c.ID, c.Receiver, c.Subject, m.last[line])
		}
		m.last[line] = c.ID
	}
	if len(claimed) > 0 {
		m.hands = append(m.hands, claimed)
	}
}

// ends has a claimer record what became of its messages: in time, or long after it lost them.
func (m *deliveryModel) ends() {
	from := &m.hands
	if m.rand.IntN(4) == 0 {
		from = &m.dead
	}
	claimed := m.take(from)
	for _, c := range claimed {
		switch m.rand.IntN(5) {
		case 0:
			m.Settled(m.now, alerts.DeliveryFailed, m.now, c)
		case 1, 2:
			m.Settled(m.now, alerts.DeliveryDue, m.now.Add(time.Duration(m.rand.IntN(300))*time.Second), c)
		default:
			m.Settled(m.now, alerts.DeliverySent, m.now, c)
		}
	}
}

func (m *deliveryModel) dies() {
	if claimed := m.take(&m.hands); claimed != nil {
		m.dead = append(m.dead, claimed)
	}
}

func (m *deliveryModel) take(from *[][]deliverydb.ClaimedDelivery) []deliverydb.ClaimedDelivery {
	if len(*from) == 0 {
		return nil
	}
	claimed := (*from)[0]
	*from = (*from)[1:]
	return claimed
}

// finish drops all claims, as if the claimers had died, and sends everything that is left.
func (m *deliveryModel) finish() {
	m.hands = nil
	m.FanOut(m.now)
	m.now = m.now.Add(alerts.FloodWindow)
	m.closeFloods(m.now)
	for {
		at, ok, err := m.Deliveries.NextDelivery(m.T.Context())
		if err != nil {
			m.T.Fatal(err)
		}
		if !ok {
			return
		}
		if at.After(m.now) {
			m.now = at
		}
		m.claims(50)
		m.Settled(m.now, alerts.DeliverySent, m.now, m.take(&m.hands)...)
	}
}

func (m *deliveryModel) check(when string, integrations int) {
	m.T.Helper()
	n := m.Numbers(`SELECT count(*), count(DISTINCT alert_id), count(*) FILTER (WHERE state = 'due'), count(*) FILTER (WHERE state = 'held'),
count(*) FILTER (WHERE state = 'merged'), count(*) FILTER (WHERE state IN ('sent', 'failed')) FROM deliveries WHERE event <> 'flooded'`, 6)
	if n[0] != int64(m.alerts*integrations) || n[1] != int64(m.alerts) || n[2] != 0 || n[3]+n[4]+n[5] != n[0] {
		m.T.Errorf("%s: of %d alerts, deliveries are %v", when, m.alerts, n)
	}
	if n[3] == 0 || n[4] == 0 || n[5] == 0 {
		m.T.Errorf("%s: the story is too dull: %v", when, n)
	}
	var summarized int64
	for _, f := range m.heldFacts() {
		summarized += f.Count
	}
	if summarized != n[3] {
		m.T.Errorf("%s: %d are held, the summaries count %d", when, n[3], summarized)
	}
	lost := m.Numbers(`SELECT count(*) FROM deliveries d WHERE state = 'merged' AND NOT EXISTS (SELECT 1 FROM deliveries o
WHERE o.receiver = d.receiver AND o.subject = d.subject AND o.id > d.id AND o.state IN ('sent', 'failed'))`, 1)[0]
	if lost != 0 {
		m.T.Errorf("%s: %d were merged into nothing", when, lost)
	}
}
