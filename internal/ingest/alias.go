package ingest

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/sett/move"
	"sett/internal/sett/run"
	"sett/internal/store/uptimedb"
)

// aliasRoutes are the addresses of other monitors at which the jobs of imported check-ins go on to report. A check-in has such an address only
// if an import has brought it.
func (in *Ingest) aliasRoutes() (routes []serve.Route) {
	add := func(path, name string, handle serve.Handler, methods ...string) {
		for _, method := range methods {
			routes = append(routes, serve.Route{
				Method: method, Path: path, Name: name + "By" + method[:1] + strings.ToLower(method[1:]), Tag: "Reporting", Permission: accounts.Public, Raw: method != http.MethodGet,
				Doc: "For jobs of check-ins that were imported.", Quiet: true, Handle: handle,
			})
		}
	}
	add("/api/push/{token}", "pingLikeUptimeKuma", in.kumaPing, http.MethodGet) // for a POST see AtOldAddress: a project could be called push
	for _, path := range []string{"/ping/{first}", "/ping/{first}/{second}", "/ping/{first}/{second}/{third}"} {
		add(path, fmt.Sprintf("pingLikeHealthchecks%d", strings.Count(path, "{")), in.healthPing, http.MethodGet, http.MethodPost)
	}
	return routes
}

// healthAddress is the path of a report to Healthchecks' own server, where no /ping is before it. The key of a project has 22 characters.
var healthAddress = regexp.MustCompile(`^/(` + uuidForm + `|[\w-]{22}/[\w-]+)(/[a-z0-9]+)?$`)

// AtOldAddress answers reports of jobs whose address no route can have, as it would be that of too much else; next has all other requests.
func (in *Ingest) AtOldAddress(next serve.Handler) serve.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		path := r.URL.Path
		if token, ok := strings.CutPrefix(path, "/api/push/"); ok && r.Method == http.MethodPost && !strings.Contains(token, "/") {
			r.SetPathValue("token", token)
			return in.kumaPing(w, r)
		}
		if !healthAddress.MatchString(path) || r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost {
			return next(w, r)
		}
		for i, part := range strings.Split(path[1:], "/") {
			r.SetPathValue([]string{"first", "second", "third"}[i], part)
		}
		return in.healthPing(w, r)
	}
}

// kumaAnswer is what Uptime Kuma answers.
type kumaAnswer struct {
	OK  bool   `json:"ok"`
	Msg string `json:"msg,omitempty"`
}

func (in *Ingest) kumaPing(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	said, output := query.Get("status"), query.Get("msg")
	if output == "OK" {
		output = ""
	}
	status := "success"
	if said != "" && said != "up" {
		status = "error"
	}
	var took *int64
	if ms, err := strconv.ParseFloat(query.Get("ping"), 64); err == nil && ms >= 0 && ms < 1e12 {
		rounded := int64(ms + 0.5)
		took = &rounded
	}
	w.Header().Set("Cache-Control", "no-store")
	err := in.aliasPing(r, move.KumaAlias(r.PathValue("token")), checks.Ping{Payload: checks.PlainPing(status, took, nil, output)})
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		return serve.WriteJSON(w, http.StatusNotFound, kumaAnswer{Msg: "Monitor not found or not active."})
	case err != nil:
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, kumaAnswer{OK: true})
}

// healthUUID is an id of a check. Its other addresses have the key of a project and a slug.
var healthUUID = regexp.MustCompile(`^` + uuidForm + `$`)

const uuidForm = `[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`

func (in *Ingest) healthPing(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "no-store")
	path, action, extra := r.PathValue("first"), r.PathValue("second"), r.PathValue("third")
	if healthUUID.MatchString(path) {
		path = strings.ToLower(path)
	} else {
		path, action, extra = path+"/"+action, extra, ""
	}
	alias := move.PingAlias(path)
	if action == "log" && extra == "" { // it says nothing of how the job does
		_, err := in.uptime.CheckInOfAlias(r.Context(), alias)
		return answerHealth(w, err)
	}
	ping, known := in.healthReport(w, r, action)
	if extra != "" || !known {
		return answerHealth(w, sett.Errorf(sett.NotFound, "There is no such address."))
	}
	return answerHealth(w, in.aliasPing(r, alias, ping))
}

// answerHealth answers as Healthchecks does.
func answerHealth(w http.ResponseWriter, err error) error {
	status, text := http.StatusOK, "OK"
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		status, text = http.StatusNotFound, "not found"
	case err != nil:
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, err = w.Write([]byte(text))
	return err
}

// healthReport reads what a job says by the end of the path, the id of its run and the body.
func (in *Ingest) healthReport(w http.ResponseWriter, r *http.Request, action string) (p checks.Ping, known bool) {
	status, exit := "success", (*int)(nil)
	switch code, err := strconv.Atoi(action); {
	case action == "" || action == "start":
	case action == "fail":
		status = "error"
	case err == nil && code >= 0 && code <= 255:
		if exit = &code; code != 0 {
			status = "error"
		}
	default:
		return p, false
	}
	output := ""
	if r.Method == http.MethodPost {
		m := in.memories.take()
		if body, err := in.inflated(w, r, m); err == nil {
			output = string(body[max(0, len(body)-checks.PingRoom):])
		}
		in.memories.giveBack(m)
	}
	p.Run = run.Report{ID: r.URL.Query().Get("rid"), Started: action == "start"}
	if !p.Run.Started {
		p.Payload = checks.PlainPing(status, nil, exit, output)
	}
	return p, true
}

// aliasPing stores the report of a job that asks for its check-in by an alias.
func (in *Ingest) aliasPing(r *http.Request, alias string, ping checks.Ping) error {
	id, err := in.uptime.CheckInOfAlias(r.Context(), alias)
	if err != nil {
		return err
	}
	in.cleanPing(r, ping.Payload)
	ping.At = in.now()
	ping.Source = checks.NewPingSource(auth.AddressText(in.proxies, r), in.cleanText(accounts.KeyedProject{}, r.UserAgent()))
	found, err := in.pings.record(uptimedb.PingReport{ID: id, Ping: ping})
	if err == nil && !found {
		err = sett.Errorf(sett.NotFound, "Check-in not found")
	}
	return err
}
