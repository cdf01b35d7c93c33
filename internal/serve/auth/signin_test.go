package auth_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/signin"
)

// cheap is the hash of "correct horse" at a cost that is no longer used.
const cheap = "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$"

func TestPasswordsInTurn(t *testing.T) {
	t.Parallel()
	passwords := auth.NewPasswords(auth.PasswordCost)
	phc, err := passwords.Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		phc, password string
		want          bool
	}{{phc, "correct horse", true}, {phc, "", false}, {"", "", false}, {"", "correct horse", false}, {cheap, "correct horse", false}} {
		if right, err := passwords.Check(t.Context(), c.phc, c.password); err != nil || right != c.want {
			t.Errorf("%q against %q: %t, %v", c.password, c.phc, right, err)
		}
	}
	if passwords.OutOfDate(phc) || !passwords.OutOfDate(strings.Replace(phc, "t=2", "t=1", 1)) || !passwords.OutOfDate(strings.Replace(phc, "m=19456", "m=64", 1)) || !passwords.OutOfDate("") {
		t.Error("a hash of another cost counts as today's, or today's as another's")
	}
}

// A password whose request is given up while others are hashed is not hashed at all.
func TestPasswordsWaitNoLongerThanTheRequest(t *testing.T) {
	t.Parallel()
	passwords := auth.NewPasswords(auth.PasswordCost)
	held := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	refused := make(chan error, 8)
	for range cap(refused) {
		go func() {
			<-held
			_, err := passwords.Hash(ctx, "correct horse")
			refused <- err
		}()
	}
	close(held)
	cancel()
	canceled := 0
	for range cap(refused) {
		if errors.Is(<-refused, context.Canceled) {
			canceled++
		}
	}
	if canceled == 0 {
		t.Error("8 passwords are hashed at once")
	}
}

// The codes of RFC 6238, appendix B, for SHA-1, cut to six digits.
func TestStepOfCode(t *testing.T) {
	t.Parallel()
	const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" // 12345678901234567890
	for _, c := range []struct {
		at   int64
		code string
		step int64
		ok   bool
	}{
		{59, "287082", 1, true},
		{1111111109, "081804", 37037036, true},
		{1234567890, "005924", 41152263, true},
		{2000000000, "279037", 66666666, true},
		{1234567890, " 005 924 ", 41152263, true},
		{1234567890 + 30, "005924", 41152263, true},
		{1234567890 - 30, "005924", 41152263, true},
		{1234567890 + 60, "005924", 0, false},
		{1234567890 - 60, "005924", 0, false},
		{1234567890, "5924", 0, false},
		{1234567890, "", 0, false},
		{59, "94287082", 0, false}, // with eight digits
	} {
		step, ok := auth.StepOfCode(secret, c.code, time.Unix(c.at, 0))
		if step != c.step || ok != c.ok {
			t.Errorf("%q at %d: step %d, %t; want %d, %t", c.code, c.at, step, ok, c.step, c.ok)
		}
	}
	if _, ok := auth.StepOfCode("no base32!", "", time.Unix(0, 0)); ok {
		t.Error("a secret that cannot be read has a code")
	}
}

func TestFactorAddress(t *testing.T) {
	t.Parallel()
	secret := auth.NewFactorSecret()
	address, err := auth.FactorAddress("sett errors.example.test", "ann+x@example.test", secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"otpauth://totp/sett%20errors.example.test:ann+x@example.test?", "secret=" + secret, "issuer=sett%20errors.example.test", "period=30", "digits=6"} {
		if !strings.Contains(address, part) {
			t.Errorf("%s lacks %s", address, part)
		}
	}
	if len(secret) != 32 || secret == auth.NewFactorSecret() {
		t.Errorf("a secret is %s", secret)
	}
}

// Who tries from many addresses of one IPv6 network is one; neighbours in IPv4 are not.
func TestThrottleCountsNetworks(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "token")
	proxies := serve.Proxies{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	throttle := auth.NewThrottle(s.Accounts, proxies, func() time.Time { return noon })
	try := func(target, peer, forwarded string) sett.Code {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/login", nil)
		r.RemoteAddr = peer
		r.Header.Set("X-Forwarded-For", forwarded)
		return sett.CodeOf(throttle.Try(r, auth.PasswordOf(target)))
	}
	for i := range 50 {
		target := string(rune('A' + i))
		if code := try(target, "[2001:db8::"+string(rune('1'+i%9))+"]:1", "192.0.2.1"); code != "" {
			t.Fatalf("try %d: %s", i, code)
		}
	}
	for _, c := range []struct {
		peer, forwarded string
		want            sett.Code
	}{
		{"[2001:db8::ffff:1]:1", "", sett.TooMany},
		{"10.0.0.1:1", "2001:db8::5", sett.TooMany},
		{"[2001:db8:0:1::1]:1", "", ""},
		{"192.0.2.1:1", "", ""}, // who said so was not trusted
	} {
		if code := try("fresh "+c.peer, c.peer, c.forwarded); code != c.want {
			t.Errorf("from %s for %s: %q, want %q", c.peer, c.forwarded, code, c.want)
		}
	}
}

// guesses tries passwords of Ann from an address. It returns how many tries did not have to wait.
func guesses(t *testing.T, throttle *auth.Throttle, address string, many int) (taken int) {
	t.Helper()
	for range many {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/login", nil)
		r.RemoteAddr = address + ":1"
		if throttle.Try(r, auth.PasswordOf("ann@example.test")) == nil {
			taken++
		}
	}
	return taken
}

// However long one address guesses, another one can sign in at once; and guesses from many addresses wait together, but for the
// networks that the user signs in from.
func TestGuessesFromOneAddressDoNotBlockOthers(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "token")
	now := noon
	throttle := auth.NewThrottle(s.Accounts, serve.Proxies{}, func() time.Time { return now })
	home := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/login", nil)
	home.RemoteAddr = "198.51.100.7:1"
	if err := errors.Join(throttle.Try(home, auth.PasswordOf("ann@example.test")), throttle.Succeeded(home, auth.PasswordOf("ann@example.test"))); err != nil {
		t.Fatal(err)
	}
	for range 200 { // two days of it
		guesses(t, throttle, "192.0.2.66", 10)
		if got := guesses(t, throttle, "[2001:db8::1]", 10) + guesses(t, throttle, "[2001:db8::ffff]", 10); got > 6 {
			t.Fatalf("two addresses of one IPv6 network have %d guesses at once", got)
		}
		now = now.Add(14*time.Minute + 50*time.Second)
	}
	if got := guesses(t, throttle, "203.0.113.5", 1); got != 1 {
		t.Error("guesses from two networks keep a third one out")
	}
	taken := 0
	for i := range 200 {
		taken += guesses(t, throttle, "10.0."+string(rune('0'+i/100))+"."+strconv.Itoa(i%100+1), 5)
	}
	if taken > signin.FreeForStrangers+10 {
		t.Errorf("200 addresses have %d guesses at once", taken)
	}
	if err := throttle.Try(home, auth.PasswordOf("ann@example.test")); err != nil {
		t.Errorf("guesses from elsewhere keep the user out where they always sign in: %v", err)
	}
}
