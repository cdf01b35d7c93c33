package intakedb

import (
	"context"

	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
)

// raise raises one alert for each fault that the batch created or reopened, regardless of the number of its notices.
func (b *batch) raise(ctx context.Context) error {
	var raised []alerts.Alert
	for _, f := range b.order {
		if f.count > 0 && (f.made || f.reopened) {
			raised = append(raised, f.occurred().Alert(alerts.AlertOccurred, b.now, alerts.AlertFacts{
				NoticeID: f.last, NoticesCount: f.before + f.count, Reopened: f.reopened,
			}))
		}
	}
	return b.t.outbox().RaiseHere(ctx, b.now, raised...)
}

func (f *batchFault) occurred() faults.Fault {
	return faults.Fault{ID: f.id, ProjectID: f.project, Environment: f.first.Environment}
}
