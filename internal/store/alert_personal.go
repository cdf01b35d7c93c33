package store

import "context"

// personalReceivers returns the users that are to be told of the alerts by their personal alerts, by the alert's id. Nobody
// has any yet. Each is a userReceiver; flood control and deliveries treat users as they do integrations.
func (h *hearings) personalReceivers(context.Context) (map[int64][]receiver, error) {
	return nil, nil
}
