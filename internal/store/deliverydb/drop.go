package deliverydb

import (
	"context"
	"time"

	"sett/internal/store/db"
)

const dropDeliveries = `-- deliverydb.dropDeliveries
UPDATE deliveries SET state = 'failed', trying = false, tries = tries - 1, done_at = k.at, problem = k.problem
FROM {{rows k(id bigint, at bigint, problem text)}} WHERE deliveries.id = k.id`

// dropInactive fails the deliveries to integrations, or about projects, that a user has turned off since they were due, except direct
// messages; and those to users who should no longer get them.
func (t Tx) dropInactive(ctx context.Context, now time.Time, claimed []ClaimedDelivery) (left []ClaimedDelivery, err error) {
	var ids, ats []int64
	var problems []string
	unwanted, err := t.unwanted(ctx, claimed)
	if err != nil {
		return nil, err
	}
	for _, c := range claimed {
		problem := c.uselessness(unwanted[c.ID])
		if problem == "" {
			left = append(left, c)
			continue
		}
		ids, ats, problems = append(ids, c.ID), append(ats, db.Micros(now)), append(problems, problem)
	}
	if len(ids) == 0 {
		return left, nil
	}
	t.Wake(DeliveryDue) // the deliveries that they blocked
	if err := t.Each(ctx, dropDeliveries, ids, ats, problems); err != nil {
		return nil, err
	}
	return left, t.Each(ctx, nextInLine, ids)
}

// uselessness returns why the delivery is no longer wanted, or "".
func (c *ClaimedDelivery) uselessness(unwanted bool) string {
	switch {
	case unwanted:
		return "The user has turned off mails about the project, or can no longer see it."
	case c.Alert.Direct():
		return ""
	case c.ProjectOff:
		return "The project was turned off."
	case c.Integration != nil && !c.Integration.Active:
		return "The integration was turned off."
	}
	return ""
}
