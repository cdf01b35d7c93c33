package auth

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sett/internal/serve"
	"sett/internal/sett/signin"
	"sett/internal/store/accountdb"
)

// Throttle slows down guessing of passwords and codes: by network, by what is tried from there, and by what is tried from
// all networks together from which its user has not signed in lately. So guesses from elsewhere do not lock out a user who
// signs in from a known network, and guesses from many networks are slowed down anyway. Addresses with an account and those
// without one behave alike.
type Throttle struct {
	accounts *accountdb.Store
	proxies  serve.Proxies
	now      func() time.Time
}

// NewThrottle returns a Throttle that counts in the given store, for all nodes together.
func NewThrottle(accounts *accountdb.Store, proxies serve.Proxies, now func() time.Time) *Throttle {
	return &Throttle{accounts, proxies, now}
}

// Target is what is tried: the sign-in with one address of mail, say.
type Target string

// PasswordOf is the password of the user with an address.
func PasswordOf(email string) Target { return Target("password of " + email) }

const codes = "second factor of "

// SecondFactorOf is the codes of a user.
func SecondFactorOf(userID int64) Target {
	return Target(codes + strconv.FormatInt(userID, 10))
}

// UserCodesOf is the codes of command lines that a user types.
func UserCodesOf(userID int64) Target {
	return Target("user codes of " + strconv.FormatInt(userID, 10))
}

// DeviceCodes is the sign-ins of command lines that wait for a person.
const DeviceCodes Target = "device codes"

// ResetOf is the mails with which an address gets a new password.
func ResetOf(email string) Target { return Target("reset of " + email) }

// Try counts a try as failed, until Succeeded is called; the error is TooMany when one has to wait first.
func (t *Throttle) Try(r *http.Request, target Target) error {
	from := t.networkOf(r)
	keys := []accountdb.TryKey{target.from(from), network(from)}
	known, err := t.accounts.KnowsNetwork(r.Context(), t.now(), target.known(from))
	if err != nil {
		return err
	}
	if !known {
		strangers := target.strangers()
		strangers.Once = keys[0].Hash // one network alone makes no other network wait, however long it goes on
		keys = append(keys, strangers)
	}
	return t.accounts.TakeTry(r.Context(), t.now(), keys...)
}

// TryFrom is Try for what is not guessed, but costs: only the network waits, and what it tries on the target.
func (t *Throttle) TryFrom(r *http.Request, target Target) error {
	from := t.networkOf(r)
	return t.accounts.TakeTry(r.Context(), t.now(), target.from(from), network(from))
}

// Succeeded forgets the failures of the target from this network, and this try. From now on the network is known.
func (t *Throttle) Succeeded(r *http.Request, target Target) error {
	from := t.networkOf(r)
	return t.accounts.ForgiveTry(r.Context(), t.now(), accountdb.PassedTry{
		Account: target.from(from).Hash, Others: [][]byte{network(from).Hash, target.strangers().Hash},
		Known: target.known(from), KnownUntil: t.now().Add(signin.KnownNetwork),
	})
}

// Forget forgets the failures of the target from everywhere, because the operator has repaired what was wrong.
func (t *Throttle) Forget(ctx context.Context, target Target) error {
	return t.accounts.ForgetTries(ctx, target.prefix(), target.strangers().Hash)
}

// Begin counts a sign-in that a network begins by asking for something that takes a row to remember; the error is TooMany
// when it has begun too many.
func (t *Throttle) Begin(r *http.Request) error {
	return t.accounts.TakeBegin(r.Context(), t.now(), HashToken("begun by "+networkOf(t.proxies.ClientAddress(r))))
}

func (t *Throttle) networkOf(r *http.Request) string { return networkOf(t.proxies.ClientAddress(r)) }

// prefix begins the keys of what is tried on the target from single networks.
func (t Target) prefix() []byte { return HashToken(string(t))[:16] }

// from is the key of what is tried on the target from a network.
func (t Target) from(network string) accountdb.TryKey {
	return accountdb.TryKey{Hash: append(t.prefix(), HashToken(string(t) + " from " + network)[:16]...), Free: signin.FreePerAccount}
}

// strangers is the key of what is tried on the target from all networks that it does not know.
func (t Target) strangers() accountdb.TryKey {
	free := int64(signin.FreeForStrangers)
	if strings.HasPrefix(string(t), codes) {
		free = signin.FreePerAccount // there are few codes, and trying them requires the password
	}
	return accountdb.TryKey{Hash: HashToken("strangers to " + string(t)), Free: free}
}

// known is the key under which the target knows a network.
func (t Target) known(network string) []byte {
	return HashToken("network " + network + " of " + string(t))
}

func network(from string) accountdb.TryKey {
	return accountdb.TryKey{Hash: HashToken("network " + from), Free: signin.FreePerNetwork}
}
