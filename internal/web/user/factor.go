package user

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/boombuler/barcode/qr"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/web"
)

// factorForm shows the secret of a second factor for an authenticator app and asks for the first code.
type factorForm struct {
	web.Shell
	Secret string
	Square square
	Code   web.Field
	Proof  web.Fields // fields of the user's proof
}

// square is a QR code: Path is the SVG path of its dark modules in a view box of Size by Size.
type square struct {
	Size int
	Path string
}

func (p *pages) newFactorForm(r *http.Request, secret string) (*factorForm, error) {
	issuer := "sett"
	if u, err := url.Parse(p.BaseURL); err == nil && u.Hostname() != "" {
		issuer += " " + u.Hostname() // people have apps for several servers
	}
	address, err := auth.FactorAddress(issuer, web.Who(r).User.Email, secret)
	if err != nil {
		return nil, err
	}
	drawn, err := drawSquare(address)
	if err != nil {
		return nil, err
	}
	proof, err := p.ProofFields(r)
	return &factorForm{p.Shell(r, "Set up the second factor"), inGroups(secret), drawn, web.Field{
		Name: "code", Label: "Code", Kind: "text", Complete: "one-time-code", Hint: "The six digits that the app shows.",
	}, proof}, err
}

// inGroups formats a secret in groups of four, for people who type it.
func inGroups(secret string) string {
	var b strings.Builder
	for i, c := range secret {
		if i > 0 && i%4 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// quietZone is the width of the light margin of a QR code in modules (ISO/IEC 18004).
const quietZone = 4

func drawSquare(text string) (square, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return square{}, fmt.Errorf("render QR code: %w", err)
	}
	var path strings.Builder
	size := code.Bounds().Dx()
	for y := range size {
		for x := range size {
			if red, _, _, _ := code.At(x, y).RGBA(); red == 0 {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+quietZone, y+quietZone)
			}
		}
	}
	return square{size + 2*quietZone, path.String()}, nil
}

// proposeFactor creates a secret, which is active once the user has entered a code.
func (p *pages) proposeFactor(w http.ResponseWriter, r *http.Request) error {
	if err := p.Accounts.ProposeSecondFactor(r.Context(), web.Who(r).Session, auth.NewFactorSecret()); err != nil {
		return err
	}
	return p.Redirect(w, "/me/security/totp")
}

// proposed returns the secret of the second factor that is being set up; "" if there is none.
func (p *pages) proposed(r *http.Request) (secret string, err error) {
	factor, err := p.Accounts.SecondFactor(r.Context(), web.Who(r).User.ID)
	if err != nil || factor.Confirmed {
		return "", err
	}
	return factor.Secret, nil
}

func (p *pages) factorPage(w http.ResponseWriter, r *http.Request) error {
	secret, err := p.proposed(r)
	switch {
	case err != nil:
		return err
	case secret == "":
		return p.Redirect(w, "/me/security")
	}
	page, err := p.newFactorForm(r, secret)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "factor", page)
}

func (p *pages) confirmFactor(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	secret, err := p.proposed(r)
	switch {
	case err != nil:
		return err
	case secret == "":
		return p.Redirect(w, "/me/security")
	}
	step, ok := auth.StepOfCode(secret, form.Get("code"), p.Now())
	if err = p.CheckProof(r, form); err == nil && !ok {
		err = sett.Errorf(sett.Invalid, "The code is wrong. Try the next one, and check that the clock of your device is correct.")
	}
	if err != nil {
		page, failed := p.newFactorForm(r, secret)
		if failed != nil {
			return failed
		}
		return p.Again(w, r, err, "factor", page)
	}
	codes, hashes := auth.NewRecoveryCodes()
	if err := p.Accounts.ConfirmSecondFactor(r.Context(), p.Now(), web.Who(r).Session, secret, step, hashes); err != nil {
		return err
	}
	return p.showCodes(w, r, codes)
}
