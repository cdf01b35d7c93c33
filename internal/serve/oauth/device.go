package oauth

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"time"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/signin"
)

// CommandLine is the ID of sett's own command line. It alone signs in by a code that a person types, and gets a token that does what the person does.
const CommandLine = "sett-cli"

// How a device waits for its person, and the code that the person types: letters that spell no words and look like no digits.
const (
	pollEvery   = 5 // seconds
	codeLetters = "BCDFGHJKLMNPQRSTVWXZ"
	codeLength  = 8
)

// deviceLife is how long the token of a device is good.
const deviceLife = 90 * 24 * time.Hour

// Device is a program that waits for a person to type its code.
type Device struct {
	Name    string // of the machine, as it says itself
	Address string // from where it asks
	At      time.Time
	Hash    []byte // of its own code
}

// waiting is what a device learns when it asks.
type waiting struct {
	Device
	Answered bool
	Denied   bool
	Session  signin.Session
	ReadOnly bool
}

// deviceAnswer is the answer to a device that begins to sign in.
type deviceAnswer struct {
	DeviceCode string `json:"device_code"`
	UserCode   string `json:"user_code"`
	Where      string `json:"verification_uri"`
	Complete   string `json:"verification_uri_complete"`
	ExpiresIn  int64  `json:"expires_in"` // seconds
	Interval   int    `json:"interval"`   // seconds
}

// beginDevice notes that a device waits.
func (d *Desk) beginDevice(r *http.Request, form url.Values) (deviceAnswer, error) {
	if form.Get("client_id") != CommandLine {
		return deviceAnswer{}, refuse("unauthorized_client", "only %s signs in by a code that a person types; use the authorization code flow", CommandLine)
	}
	if err := d.Throttle.Try(r, auth.DeviceCodes); err != nil {
		return deviceAnswer{}, err
	}
	secret, now, ctx := sett.NewWebSecret(), d.Now(), r.Context()
	device := Device{Name: cleanName(form.Get("device_name")), Address: auth.AddressText(d.Proxies, r), At: now, Hash: auth.HashToken(secret)}
	code := newUserCode()
	state, err := json.Marshal(waiting{Device: device})
	if err == nil {
		err = d.Accounts.CreateChallenge(ctx, now, signin.SignInProgram, 0, device.Hash, state)
	}
	if err == nil {
		err = d.Accounts.CreateChallenge(ctx, now, signin.TypedCode, 0, auth.HashToken(code), state)
	}
	shown := code[:codeLength/2] + "-" + code[codeLength/2:]
	where := d.BaseURL + DevicePath
	return deviceAnswer{secret, shown, where, where + "?user_code=" + shown, int64(signin.SignInProgram.Life().Seconds()), pollEvery}, err
}

func newUserCode() string {
	code := make([]byte, codeLength)
	for i := range code {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(codeLetters))))
		if err != nil {
			panic(err) // the system has no randomness: nothing safe can be done
		}
		code[i] = codeLetters[n.Int64()]
	}
	return string(code)
}

// plainUserCode returns a code as it is stored, however a person writes it.
func plainUserCode(typed string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(codeLetters, r) {
			return r
		}
		return -1
	}, strings.ToUpper(typed))
}

// DeviceOf returns the device that waits with a code. The error is NotFound if none does.
func (d *Desk) DeviceOf(ctx context.Context, typed string) (Device, error) {
	var w waiting
	state, err := d.Accounts.Challenge(ctx, d.Now(), signin.TypedCode, 0, auth.HashToken(plainUserCode(typed)))
	if err == nil {
		err = json.Unmarshal(state, &w)
	}
	return w.Device, err
}

// AnswerDevice gives a device the answer of the user of a session: a token that reads, or writes too, or none. A code is answered once.
func (d *Desk) AnswerDevice(ctx context.Context, typed string, by signin.Session, allowed, readOnly bool) error {
	now := d.Now()
	state, err := d.Accounts.TakeChallenge(ctx, now, signin.TypedCode, 0, auth.HashToken(plainUserCode(typed)))
	if err != nil {
		return err
	}
	var w waiting
	if err := json.Unmarshal(state, &w); err != nil {
		return fmt.Errorf("read device: %w", err)
	}
	w.Answered, w.Denied, w.Session, w.ReadOnly = true, !allowed, by, readOnly
	if state, err = json.Marshal(w); err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return d.Accounts.AnswerChallenge(ctx, now, signin.SignInProgram, w.Hash, state)
}

// pollDevice gives a device its token once a person has allowed it.
func (d *Desk) pollDevice(r *http.Request, form url.Values) (Tokens, error) {
	hash, now, ctx := auth.HashToken(form.Get("device_code")), d.Now(), d.noting(r, connecting)
	w, err := d.waiting(ctx, now, hash)
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		return Tokens{}, refuse(expired, "the code has expired, or was used; begin again")
	case err != nil:
		return Tokens{}, err
	case !w.Answered:
		return Tokens{}, refuse(pending, "the person has not answered yet")
	}
	if _, err := d.Accounts.TakeChallenge(ctx, now, signin.SignInProgram, 0, hash); err != nil {
		return Tokens{}, refuse(expired, "the code has expired, or was used; begin again")
	}
	if w.Denied {
		return Tokens{}, refuse(denied, "the person did not allow it")
	}
	token := signin.PersonalToken{Name: "sett on " + w.Name, ReadOnly: w.ReadOnly, CreatedAt: now, ExpiresAt: now.Add(deviceLife)}
	secret := token.NewSecret()
	err = d.Accounts.CreatePersonalToken(ctx, w.Session, token, auth.HashToken(secret))
	if sett.CodeOf(err) == sett.Unauthenticated {
		return Tokens{}, refuse(denied, "the person has signed out; begin again")
	}
	if err == nil {
		err = d.Throttle.Succeeded(r, auth.DeviceCodes)
	}
	return Tokens{Access: secret, Type: "Bearer", ExpiresIn: int64(deviceLife.Seconds()), Scope: token.Scope()}, err
}

func (d *Desk) waiting(ctx context.Context, now time.Time, hash []byte) (w waiting, err error) {
	state, err := d.Accounts.Challenge(ctx, now, signin.SignInProgram, 0, hash)
	if err == nil {
		err = json.Unmarshal(state, &w)
	}
	return w, err
}
