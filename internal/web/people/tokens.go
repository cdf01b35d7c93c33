package people

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/signin"
	"sett/internal/store/accountdb"
	"sett/internal/web"
)

// tokensView lists the tokens of an account.
type tokensView struct {
	page
	Tokens []tokenRow
	Fields web.Fields
	Grants web.Grants
	Made   string // the secret of a new token, which is shown once
}

type tokenRow struct {
	accountdb.AccountToken
	Over bool
}

func (p *pages) newTokensView(r *http.Request, form url.Values) (*tokensView, error) {
	v := &tokensView{page: p.newPage(r, "Account tokens", "tokens"), Grants: web.NewGrants(form, true)}
	tokens, err := p.Accounts.ListAccountTokens(r.Context(), v.AccountID)
	if err != nil {
		return nil, err
	}
	for _, t := range tokens {
		v.Tokens = append(v.Tokens, tokenRow{t, t.Expired(p.Now())})
	}
	lives := []web.Choice{}
	for _, days := range signin.TokenLives() {
		label := "After " + strconv.Itoa(days) + " days"
		if days == 0 {
			label = "Never"
		}
		lives = append(lives, web.Choice{Value: strconv.Itoa(days), Label: label})
	}
	v.Fields = web.Fields{
		{Name: "name", Label: "Name", Kind: "text", Value: form.Get("name"), Complete: "off", Hint: "What the token is for, for example “Terraform”."},
		{Name: "days", Label: "Expires", Value: form.Get("days"), Choices: lives},
	}
	proof, err := p.ProofFields(r)
	for _, f := range proof {
		f.Hint, f.Optional = "Required for a token that never expires.", true
		v.Fields = append(v.Fields, f)
	}
	return v, err
}

func (p *pages) tokensPage(w http.ResponseWriter, r *http.Request) error {
	v, err := p.newTokensView(r, nil)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "account_tokens", v)
}

// makeToken shows a new token in its response, without a redirect: only its hash is stored.
func (p *pages) makeToken(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	var problems sett.Problems
	grant := p.GrantOf(r, &problems, form, r.PathValue("account_id"))
	grant.OfAccount = true
	token := signin.NewScopedToken(&problems, p.Now(), strings.TrimSpace(form.Get("name")), grant, form.Get("days"))
	err = problems.Refusal()
	if err == nil && token.ExpiresAt.IsZero() {
		err = p.CheckProof(r, form) // a permanent way in
	}
	secret := token.NewSecret()
	if err == nil {
		err = p.Accounts.CreateAccountToken(r.Context(), web.Who(r).User.ID, token, auth.HashToken(secret))
	}
	if err != nil {
		v, failed := p.newTokensView(r, form)
		if failed != nil {
			return failed
		}
		v.Fields.Explain(problems)
		return p.Again(w, r, err, "account_tokens", v)
	}
	v, err := p.newTokensView(r, nil)
	if err != nil {
		return err
	}
	v.Made = secret
	return p.Show(w, r, http.StatusOK, "account_tokens", v)
}

func (p *pages) revokeToken(w http.ResponseWriter, r *http.Request) error {
	if err := p.Accounts.RevokeAccountToken(r.Context(), r.PathValue("account_id"), web.PathID(r, "token_id")); err != nil {
		return err
	}
	return p.Done(w, account(r, "/tokens"), "token_revoked")
}
