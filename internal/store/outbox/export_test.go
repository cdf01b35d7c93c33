package outbox

import "context"

func (s *Store) InOwnTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.inTx(ctx, what, f)
}
