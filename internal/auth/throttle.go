package auth

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/store"
)

// Throttle slows down whoever tries passwords or codes: by what they try them on, and by where they are. Addresses that
// somebody has and those that nobody has behave alike.
type Throttle struct {
	store   *store.Store
	proxies serve.Proxies
	now     func() time.Time
}

// NewThrottle returns a Throttle that counts in the given store, for all nodes together.
func NewThrottle(s *store.Store, proxies serve.Proxies, now func() time.Time) *Throttle {
	return &Throttle{s, proxies, now}
}

// Target is what is tried: the sign-in with one address of mail, say.
type Target string

// PasswordOf is the password of whoever has an address.
func PasswordOf(email string) Target { return Target("password of " + email) }

// SecondFactorOf is the codes of a user.
func SecondFactorOf(userID int64) Target {
	return Target("second factor of " + strconv.FormatInt(userID, 10))
}

// ResetOf is the mails with which an address gets a new password.
func ResetOf(email string) Target { return Target("reset of " + email) }

// Try counts a try as failed, until Succeeded is called; the error is TooMany when one has to wait first.
func (t *Throttle) Try(r *http.Request, target Target) error {
	return t.store.TakeTry(r.Context(), t.now(), t.account(target), t.network(r))
}

// Succeeded forgets the failures of the target, and the try of this network.
func (t *Throttle) Succeeded(r *http.Request, target Target) error {
	return t.store.ForgiveTry(r.Context(), t.now(), t.account(target), t.network(r))
}

// Forget forgets the failures of the target, because those who run the server have mended what was wrong.
func (t *Throttle) Forget(ctx context.Context, target Target) error {
	return t.store.ForgiveTry(ctx, t.now(), t.account(target), store.TryKey{})
}

// Begin counts a sign-in that a network begins by asking for something that takes a row to remember; the error is TooMany
// when it has begun too many.
func (t *Throttle) Begin(r *http.Request) error {
	return t.store.TakeBegin(r.Context(), t.now(), HashToken("begun by "+networkOf(t.proxies.ClientAddress(r))))
}

func (t *Throttle) account(target Target) store.TryKey {
	return store.TryKey{Hash: HashToken(string(target)), Free: sett.FreePerAccount}
}

func (t *Throttle) network(r *http.Request) store.TryKey {
	return store.TryKey{Hash: HashToken("network " + networkOf(t.proxies.ClientAddress(r))), Free: sett.FreePerNetwork}
}
