package delivery

import (
	"context"
	"time"

	"sett/internal/store/db"
)

const dropDeliveries = `-- store.dropDeliveries
UPDATE deliveries SET state = 'failed', trying = false, tries = tries - 1, done_at = k.at, problem = k.problem
FROM {{rows k(id bigint, at bigint, problem text)}} WHERE deliveries.id = k.id`

// dropInactive gives up what is for integrations that somebody has turned off since it was due, or of projects that were,
// but for what is said to them in any case; and what is for users who are not to have it any more.
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
	t.Wake(DeliveryDue) // what waited for these
	if err := t.Each(ctx, dropDeliveries, ids, ats, problems); err != nil {
		return nil, err
	}
	return left, t.Each(ctx, nextInLine, ids)
}

// uselessness returns why nobody is to be told any more, or "".
func (c *ClaimedDelivery) uselessness(unwanted bool) string {
	switch {
	case unwanted:
		return "The user has turned mails about the project off, or cannot see it any more."
	case c.Alert.Direct():
		return ""
	case c.ProjectOff:
		return "The project was turned off."
	case c.Integration != nil && !c.Integration.Active:
		return "The integration was turned off."
	}
	return ""
}
