package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

const configurationPath = "/v2/accounts/{account_id}/configuration"

func (a *API) configurationRoutes() []serve.Route {
	const tag = "Configuration as code"
	return []serve.Route{
		{
			Method: "GET", Path: configurationPath, Name: "getConfiguration", Tag: tag, Permission: accounts.ManageStatusPages,
			Result: configurationResult{}, Handle: a.getConfiguration,
			Doc: "Get which things of an account were made by files (sett apply), and whether some are being applied now. The files are not kept.",
		},
		{
			Method: "POST", Path: configurationPath + "/lease", Name: "holdConfiguration", Tag: tag, Permission: accounts.ManageStatusPages,
			Body: configurationLeaseBody{}, Result: ConfigurationLease{}, Status: http.StatusCreated, Handle: a.holdConfiguration,
			Doc: "Ask for the right to apply files to an account, which one program has at a time (409). It ends after 2 minutes unless an update of the configuration renews it.",
		},
		{
			Method: "PUT", Path: configurationPath, Name: "updateConfiguration", Tag: tag, Permission: accounts.ManageStatusPages,
			Body: configurationBody{}, Result: configurationResult{}, Status: http.StatusOK, Handle: a.updateConfiguration,
			Doc: "Record which things files have made, with a lease. It changes nothing in these things.",
		},
	}
}

// configurationResult is the body of a response.
type configurationResult struct {
	Configuration AccountConfiguration `json:"configuration"`
}

// AccountConfiguration is what an account keeps of its configuration as code.
type AccountConfiguration struct {
	Version   int64                               `json:"version" doc:"0 if no files were applied; each update adds one."`
	Salt      string                              `json:"salt" doc:"The text with which fingerprints of secrets are made; empty before the first."`
	Things    map[string]accounts.ConfiguredThing `json:"things" doc:"What files made, by path, such as projects/shop/sites/front."`
	Holder    *string                             `json:"holder" doc:"Who is applying files now; null for no one."`
	HeldUntil *time.Time                          `json:"held_until" doc:"When that ends, unless it is renewed."`
	UpdatedAt *time.Time                          `json:"updated_at"`
}

func (a *API) viewConfiguration(c accounts.Configuration) AccountConfiguration {
	v := AccountConfiguration{Version: c.Version, Salt: c.Salt, Things: c.Things, UpdatedAt: nullTime(c.UpdatedAt)}
	if v.Things == nil {
		v.Things = map[string]accounts.ConfiguredThing{}
	}
	for path, thing := range v.Things {
		thing.Fields = orEmpty(thing.Fields)
		if thing.Secrets == nil {
			thing.Secrets = map[string]string{}
		}
		v.Things[path] = thing
	}
	if c.Held(a.Now()) {
		v.Holder, v.HeldUntil = nullText(c.Lease.Holder), nullTime(c.Lease.Until)
	}
	return v
}

func (a *API) getConfiguration(w http.ResponseWriter, r *http.Request) error {
	c, err := a.Accounts.Configuration(r.Context(), r.PathValue("account_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, configurationResult{a.viewConfiguration(c)})
}

// configurationLeaseBody is the body that asks for the lease.
type configurationLeaseBody struct {
	Lease sett.Optional[accounts.ConfigurationLeaseChange] `json:"lease" required:"true"`
}

// ConfigurationLease is the right to apply files.
type ConfigurationLease struct {
	ID     string    `json:"id" doc:"Proves that the caller has it, as lease of updates."`
	Holder string    `json:"holder"`
	Until  time.Time `json:"until" doc:"When it ends, unless it is renewed."`
}

func (a *API) holdConfiguration(w http.ResponseWriter, r *http.Request) error {
	var body configurationLeaseBody
	change, err := readOwn(w, r, &body, &body.Lease, "lease", `{"holder": "deploy on ci-7"}`, ConfigurationLease{})
	if err != nil {
		return err
	}
	c, err := a.Accounts.HoldConfiguration(r.Context(), a.Now(), r.PathValue("account_id"), auth.PrincipalOf(r.Context()).User, change)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, ConfigurationLease(c.Lease))
}

// configurationBody is the body of an update.
type configurationBody struct {
	Configuration sett.Optional[accounts.ConfigurationChange] `json:"configuration" required:"true"`
}

func (a *API) updateConfiguration(w http.ResponseWriter, r *http.Request) error {
	var body configurationBody
	change, err := readOwn(w, r, &body, &body.Configuration, "configuration", `{"lease": "…", "version": 0, "things": {}}`, AccountConfiguration{})
	if err != nil {
		return err
	}
	c, err := a.Accounts.UpdateConfiguration(r.Context(), a.Now(), r.PathValue("account_id"), change)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, configurationResult{a.viewConfiguration(c)})
}
