package deliverydb

import (
	"context"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store/db"
)

type (
	Routings        = routings
	ReceiverSubject = receiverSubject
	SearchTime      = searchTime
	Route           = route
)

const (
	AlertColumns       = alertColumns
	AlertsToFanOut     = alertsToFanOut
	Closing            = closing
	DeliveryColumns    = deliveryColumns
	DigestsWait        = digestsWait
	FreeElders         = freeElders
	FreeUrgent         = freeUrgent
	HasRaised          = hasRaised
	HastenDeliveries   = retryDeliveriesNow
	HoldQuiet          = holdQuiet
	InsertAttempts     = insertAttempts
	KeepQuiet          = keepQuiet
	ListDeliveries     = listDeliveries
	MailEvery          = mailEvery
	MarkFanOut         = markFannedOut
	MergeDeliveries    = mergeDeliveries
	MoveQuiet          = moveQuiet
	MoveQuietFlood     = moveQuietFlood
	NewestDelivery     = newestDelivery
	NextInLine         = nextInLine
	NoElder            = noElder
	OneDelivery        = oneDelivery
	Opening            = opening
	QueueUp            = queueUp
	ReadClaimed        = readClaimed
	ReadFloods         = readFloods
	ReadTroubles       = readTroubles
	SettleDeliveries   = settleDeliveries
	SweepProjectAlerts = sweepProjectAlerts
	Urgent             = urgent
	UrgentBehind       = urgentBehind
	UrgentSubjects     = urgentSubjects
)

var (
	InShares            = inShares
	IntegrationReceiver = integrationReceiver
	Parts               = parts
	QuietText           = quietText
)

func (s *Store) Alerts(ctx context.Context, q db.Querier, statement string, args ...any) ([]alerts.Alert, error) {
	return s.alerts(ctx, q, statement, args...)
}

func (s *Store) Deliveries(ctx context.Context, q db.Querier, statement string, args ...any) ([]alerts.Delivery, error) {
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	return db.Collect(rows, err, func(row db.Row) (alerts.Delivery, error) { return scanDelivery(row) })
}

func (s *Store) SearchTime() *searchTime { return &s.searchTime }

func (t Tx) RaiseFor(ctx context.Context, now time.Time, a *alerts.Alert, to receiver) error {
	return t.raiseFor(ctx, now, a, to)
}

func (t Tx) FanOut(ctx context.Context, h *routings, alerts []alerts.Alert, routes []route) (int, int, error) {
	return t.fanOut(ctx, h, alerts, routes)
}

func (t Tx) FanOutAlone(ctx context.Context) error {
	return t.fanOutOne(ctx)
}

func (s *Store) Own() *Store { return s }

func (s *Store) InOwnTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.inTx(ctx, what, f)
}

func (s *Store) TryInOwnTx(ctx context.Context, f func(Tx) error) error {
	return s.db.TryIntakeTx(ctx, func(t *db.Tx) error { return f(s.In(t)) })
}

func (t Tx) LinkKey(ctx context.Context, userID, projectID int64) ([]byte, error) {
	return t.linkKey(ctx, userID, projectID)
}
