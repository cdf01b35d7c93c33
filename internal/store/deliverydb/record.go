package deliverydb

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/sett/triage"
	"sett/internal/store/block"
	"sett/internal/store/db"
)

// DeliveryResult is the result of an attempt to send a claimed delivery.
type DeliveryResult struct {
	ID      int64
	Claim   int64                // as claimed: nothing is changed if the delivery was claimed again since
	State   alerts.DeliveryState // sent, failed, or due: retry at DueAt
	DueAt   time.Time
	Spare   time.Time       // the receiver asked for no requests until then; zero: it did not
	Attempt alerts.Attempt  // its number is assigned when it is stored
	Ours    bool            // the database has failed before anything was sent: it does not count as a try
	Gone    bool            // the destination is gone for good: the integration is turned off
	Message []byte          // kept with the alert if it has none yet
	Title   string          // of Message: its headline
	BodyV3  []byte          // a payload of version 3, kept as Message
	Link    triage.LinkData // of the created issue, for the fault's link
	IssueAt time.Time       // when the linked issue was set, by the clock of its tracker; zero: it was not, or is not known
}

// recordedDelivery is a result that was recorded, with its receiver and subject.
type recordedDelivery struct {
	DeliveryResult
	alert, integration int64
	receiver           alerts.Receiver
	event              alerts.AlertEvent
	subject            alerts.AlertSubject
}

// RecordDeliveries stores the results of claimed deliveries. A message that failed for good marks its integration as failing; if it was
// not marked before, a mail goes to the owner of its project, at most once a day. A message that was sent clears the mark, and all
// waiting deliveries to the same receiver become due at once.
func (s *Store) RecordDeliveries(ctx context.Context, now time.Time, results []DeliveryResult) error {
	if len(results) == 0 {
		return nil
	}
	return s.inTx(ctx, "record deliveries", func(t Tx) error {
		t.KeepsCaches = true
		recorded, err := t.settle(ctx, now, results)
		if err != nil || len(recorded) == 0 {
			return err
		}
		t.Wake(DeliveryDue) // another one about the same subject may be due
		for _, part := range []func(context.Context, time.Time, []recordedDelivery) error{
			t.keepQuiet, t.followOn, t.addAttempts, t.keepMessages, t.keepBodies, t.keepLinks, t.keepIssueStates, t.markIntegrations, t.retryNow,
		} {
			if err := part(ctx, now, recorded); err != nil {
				return err
			}
		}
		return nil
	})
}

const settleDeliveries = `-- deliverydb.settleDeliveries
UPDATE deliveries SET state = k.state, trying = false, due_at = k.due_at, not_before = k.not_before, done_at = k.done_at, problem = k.problem, tries = deliveries.tries - k.ours
FROM {{rows k(id bigint, claims bigint, state text, due_at bigint, not_before bigint, done_at bigint, problem text, ours bigint)}}
WHERE deliveries.id = k.id AND deliveries.claims = k.claims AND deliveries.state = 'due' AND deliveries.trying
RETURNING deliveries.id, deliveries.alert_id, coalesce(deliveries.integration_id, 0), deliveries.receiver, deliveries.event, deliveries.subject`

// settle writes the results whose claims are still valid, and returns these in the given order.
func (t Tx) settle(ctx context.Context, now time.Time, results []DeliveryResult) (recorded []recordedDelivery, err error) {
	results = slices.Clone(results)
	slices.SortStableFunc(results, func(a, b DeliveryResult) int { return cmp.Compare(a.ID, b.ID) }) // rows are locked in one order
	var ids, claims, due, spare, done, ours []int64
	var states, problems []string
	for _, r := range results {
		finished := db.Micros(now)
		if r.State == alerts.DeliveryDue {
			finished = 0
		}
		ids, claims, done = append(ids, r.ID), append(claims, r.Claim), append(done, finished)
		due, spare = append(due, db.Micros(r.DueAt)), append(spare, db.Micros(r.Spare))
		states, problems, ours = append(states, string(r.State)), append(problems, r.Attempt.Problem), append(ours, map[bool]int64{true: 1}[r.Ours])
	}
	taken := map[int64]recordedDelivery{}
	err = t.EachRow(ctx, settleDeliveries, func(rows *sql.Rows) error {
		var r recordedDelivery
		err := rows.Scan(&r.ID, &r.alert, &r.integration, &r.receiver, &r.event, &r.subject)
		taken[r.ID] = r
		return err
	}, ids, claims, states, due, spare, done, problems, ours)
	for _, r := range results {
		if had, ok := taken[r.ID]; ok {
			had.DeliveryResult = r
			recorded = append(recorded, had)
			delete(taken, r.ID)
		}
	}
	return recorded, err
}

// A redelivered delivery counts its tries from zero, but its attempts are numbered on.
const insertAttempts = `-- deliverydb.addAttempts
INSERT INTO attempts (delivery_id, number, at, duration, status, problem)
SELECT k.delivery_id, 1 + coalesce((SELECT max(a.number) FROM attempts a WHERE a.delivery_id = k.delivery_id), 0), k.at, k.duration, k.status, k.problem
FROM {{rows k(delivery_id bigint, at bigint, duration bigint, status bigint, problem text)}} WHERE true`

func (t Tx) addAttempts(ctx context.Context, _ time.Time, recorded []recordedDelivery) error {
	var ids, ats, durations, statuses []int64
	var problems []string
	for _, r := range recorded {
		ids, ats = append(ids, r.ID), append(ats, db.Micros(r.Attempt.At))
		durations, statuses = append(durations, r.Attempt.Duration.Microseconds()), append(statuses, int64(r.Attempt.Status))
		problems = append(problems, r.Attempt.Problem)
	}
	return t.Each(ctx, insertAttempts, ids, ats, durations, statuses, problems)
}

// followOn unblocks the successors of deliveries that have ended.
func (t Tx) followOn(ctx context.Context, _ time.Time, recorded []recordedDelivery) error {
	var ended []int64
	for _, r := range recorded {
		if r.State != alerts.DeliveryDue {
			ended = append(ended, r.ID)
		}
	}
	return t.Each(ctx, nextInLine, ended)
}

const keepMessages = `-- deliverydb.keepMessages
UPDATE alerts SET message = k.message, title = k.title FROM {{rows k(id bigint, message bytea, title text)}} WHERE alerts.id = k.id AND alerts.message IS NULL`

func (t Tx) keepMessages(ctx context.Context, _ time.Time, recorded []recordedDelivery) error {
	var ids []int64
	var messages [][]byte
	var titles []string
	for _, r := range recorded {
		if len(r.Message) > 0 && !slices.Contains(ids, r.alert) {
			ids, titles = append(ids, r.alert), append(titles, r.Title)
			messages = append(messages, block.AppendCompressed(nil, r.Message, block.CompressedAlone))
		}
	}
	return t.Each(ctx, keepMessages, ids, messages, titles)
}

const keepBodies = `-- deliverydb.keepBodies
UPDATE alerts SET body_v3 = k.body FROM {{rows k(id bigint, body bytea)}} WHERE alerts.id = k.id AND alerts.body_v3 IS NULL`

func (t Tx) keepBodies(ctx context.Context, _ time.Time, recorded []recordedDelivery) error {
	var ids []int64
	var bodies [][]byte
	for _, r := range recorded {
		if len(r.BodyV3) > 0 && !slices.Contains(ids, r.alert) {
			ids, bodies = append(ids, r.alert), append(bodies, block.AppendCompressed(nil, r.BodyV3, block.CompressedAlone))
		}
	}
	return t.Each(ctx, keepBodies, ids, bodies)
}

const keepLinks = `-- deliverydb.keepLinks
INSERT INTO fault_links (fault_id, integration_id, data, created_at, updated_at)
SELECT f.id, k.integration_id, k.data, k.at, k.at
FROM {{rows k(alert_id bigint, integration_id bigint, data text, at bigint)}} JOIN alerts a ON a.id = k.alert_id
LEFT JOIN merged_faults m ON m.id = a.fault_id JOIN faults f ON f.id = coalesce(m.into_id, a.fault_id)
WHERE true ON CONFLICT (fault_id, integration_id) DO UPDATE SET data = excluded.data, updated_at = excluded.updated_at, issue_state = '', issue_at = 0`

// keepLinks links faults to the issues that were created for them. A deleted fault gets none.
func (t Tx) keepLinks(ctx context.Context, now time.Time, recorded []recordedDelivery) error {
	for _, r := range recorded {
		if r.Link == nil || r.integration == 0 {
			continue
		}
		text, err := json.Marshal(r.Link)
		if err != nil {
			return err
		}
		if err := t.Each(ctx, keepLinks, []int64{r.alert}, []int64{r.integration}, []string{string(text)}, []int64{db.Micros(now)}); err != nil {
			return err
		}
	}
	return nil
}

// A delivery waits at least a tenth of its backoff: a receiver that accepts some messages and rejects others, because of a rate limit for
// example, would use up all tries of the others in a moment. If the receiver has named a time for a message, that time holds even if
// other messages are accepted. Quiet hours hold until they end.
const retryDeliveriesNow = `-- deliverydb.retryDeliveriesNow
UPDATE deliveries SET due_at = k.at FROM {{rows k(receiver text, at bigint)}}
WHERE deliveries.receiver = k.receiver AND deliveries.state = 'due' AND NOT deliveries.behind AND NOT deliveries.trying AND deliveries.due_at > k.at
AND deliveries.not_before <= k.at AND deliveries.quiet_until <= k.at AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.delivery_id = deliveries.id AND (k.at - a.at) * 10 < deliveries.due_at - a.at)`

// retryNow retries waiting deliveries now if their receivers have just accepted a message: they work again.
func (t Tx) retryNow(ctx context.Context, now time.Time, recorded []recordedDelivery) error {
	var receivers []string
	var ats []int64
	for _, r := range recorded {
		if r.State == alerts.DeliverySent && !slices.Contains(receivers, string(r.receiver)) {
			receivers, ats = append(receivers, string(r.receiver)), append(ats, db.Micros(now))
		}
	}
	return t.Each(ctx, retryDeliveriesNow, receivers, ats)
}
