package intake

import (
	"context"

	"sett/internal/sett"
)

// raise raises one alert for each fault that the batch created or reopened, regardless of the number of its notices.
func (b *batch) raise(ctx context.Context) error {
	var alerts []sett.Alert
	for _, f := range b.order {
		if f.count > 0 && (f.made || f.reopened) {
			alerts = append(alerts, f.occurred().Alert(sett.AlertOccurred, b.now, sett.AlertFacts{
				NoticeID: f.last, NoticesCount: f.before + f.count, Reopened: f.reopened,
			}))
		}
	}
	return b.t.outbox().RaiseHere(ctx, b.now, alerts...)
}

func (f *batchFault) occurred() sett.Fault {
	return sett.Fault{ID: f.id, ProjectID: f.project, Environment: f.first.Environment}
}
