package watch

import (
	"context"
	"log/slog"
	"time"

	"sett/internal/base/loop"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
	"sett/internal/store/deliverydb"
)

const (
	maintenanceEvery       = time.Second
	maintenanceHistory     = time.Hour
	maintenancePruneAtOnce = 500
)

// MaintenanceOptions are what Maintenance works with; all are required.
type MaintenanceOptions struct {
	DB         *db.DB
	Deliveries *deliverydb.Store
	Now        func() time.Time
	Log        *slog.Logger
}

// Maintenance ends maintenance windows.
type Maintenance struct{ MaintenanceOptions }

// NewMaintenance returns a Maintenance. It does nothing before its Loops run.
func NewMaintenance(o MaintenanceOptions) *Maintenance { return &Maintenance{o} }

// Loops returns the loops that send what ended windows have held, and delete old windows.
func (m *Maintenance) Loops() []*loop.Loop {
	changed, _ := m.DB.Sleep(deliverydb.MaintenanceChanged)
	return []*loop.Loop{
		{Name: "maintenance windows", Does: "Notifies people of what is still wrong when a maintenance window ends.", Every: maintenanceEvery, Jitter: 0.2, Wake: changed, Log: m.Log, Work: m.settle},
		{Name: "maintenance history", Does: "Deletes old maintenance windows.", Every: maintenanceHistory, Jitter: 0.2, Log: m.Log, Work: m.prune},
	}
}

func (m *Maintenance) settle(ctx context.Context) (more bool, err error) {
	return false, m.Deliveries.SettleMaintenance(ctx, m.Now())
}

func (m *Maintenance) prune(ctx context.Context) (more bool, err error) {
	return m.Deliveries.PruneMaintenance(ctx, m.Now().Add(-accounts.KeepHistory), maintenancePruneAtOnce)
}
