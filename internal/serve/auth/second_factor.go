package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"fmt"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"sett/internal/sett/signin"
	"sett/internal/store/accountdb"
)

// What every app for codes knows (RFC 6238): six digits of HMAC-SHA-1, a new code every 30 seconds. A code of the step
// before or after is taken too, for clocks that go wrong.
const (
	codeStep      = 30 // seconds
	stepsAround   = 1
	secretBytes   = 20
	codeAlgorithm = otp.AlgorithmSHA1
	codeDigits    = otp.DigitsSix
)

// NewFactorSecret returns the secret of a new second factor, in base32.
func NewFactorSecret() string {
	secret := make([]byte, secretBytes)
	rand.Read(secret)
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(secret)
}

// FactorAddress returns the URI with which an app receives the secret of a user, for a QR code
// (github.com/google/google-authenticator/wiki/Key-Uri-Format).
func FactorAddress(issuer, email, secret string) (string, error) {
	plain, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		return "", fmt.Errorf("read second factor: %w", err)
	}
	key, err := totp.Generate(totp.GenerateOpts{
		Issuer: issuer, AccountName: email, Secret: plain, Period: codeStep, Algorithm: codeAlgorithm, Digits: codeDigits,
	})
	if err != nil {
		return "", fmt.Errorf("write address of second factor: %w", err)
	}
	return key.URL(), nil
}

// StepOfCode returns the time step around now in which a typed code is valid for the secret; ok is false if there is none.
func StepOfCode(secret, typed string, now time.Time) (step int64, ok bool) {
	typed = signin.PlainCode(typed)
	for around := int64(-stepsAround); around <= stepsAround; around++ {
		at := now.Add(time.Duration(around) * codeStep * time.Second)
		code, err := totp.GenerateCodeCustom(secret, at, totp.ValidateOpts{Period: codeStep, Digits: codeDigits, Algorithm: codeAlgorithm})
		if err == nil && subtle.ConstantTimeCompare([]byte(code), []byte(typed)) == 1 {
			return at.Unix() / codeStep, true
		}
	}
	return 0, false
}

// CheckFactor reports whether what a user typed is a code of their app or one of their recovery codes, and uses it up.
func CheckFactor(ctx context.Context, s *accountdb.Store, now time.Time, userID int64, typed string) (bool, error) {
	factor, err := s.SecondFactor(ctx, userID)
	if err != nil || !factor.Confirmed {
		return false, err
	}
	if step, ok := StepOfCode(factor.Secret, typed, now); ok {
		return s.UseStep(ctx, userID, step)
	}
	return s.UseRecoveryCode(ctx, userID, HashToken(signin.PlainCode(typed)))
}

// NewRecoveryCodes returns new recovery codes, and what is stored of them.
func NewRecoveryCodes() (codes []string, hashes [][]byte) {
	codes = signin.NewRecoveryCodes()
	for _, c := range codes {
		hashes = append(hashes, HashToken(signin.PlainCode(c)))
	}
	return codes, hashes
}
