package ingest

import (
	"cmp"
	"context"
	"encoding/json"
	"hash/fnv"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/ingest/event"
	"sett/internal/ingest/notice"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
)

func (in *Ingest) alertmanagerRoutes() []serve.Route {
	return []serve.Route{{
		Method: http.MethodPost, Path: "/v1/alertmanager", Name: "reportAlerts", Tag: "Reporting", Permission: accounts.ReportWithKey,
		Body: alertmanagerBody{}, Raw: true, Result: alertmanagerTaken{}, Quiet: true, Handle: in.postAlertmanager,
		Doc: "The receiver for a webhook of Prometheus Alertmanager, version 4. A firing alert becomes an error, whose class is its alertname, and a resolved one resolves it. The key may be a bearer token, the password of basic authentication, or the query parameter key.",
	}}
}

// alertmanagerBody is the payload of a webhook (prometheus.io/docs/alerting/latest/configuration, webhook_config), as far as it is read.
type alertmanagerBody struct {
	Version   string              `json:"version" doc:"4"`
	Alerts    []alertmanagerAlert `json:"alerts" required:"true"`
	Truncated int                 `json:"truncatedAlerts,omitempty" doc:"Alerts that Alertmanager left out, because of max_alerts."`
}

// alertmanagerAlert is an alert. Alertmanager sends one that fires again and again, with the same fingerprint and start.
type alertmanagerAlert struct {
	Status      string            `json:"status" enum:"firing,resolved"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	StartsAt    time.Time         `json:"startsAt"`
	Generator   string            `json:"generatorURL"`
	Fingerprint string            `json:"fingerprint"`
}

// alertmanagerTaken is the answer.
type alertmanagerTaken struct {
	Firing   int `json:"firing" doc:"Alerts that are stored as events, now or when they were sent before."`
	Resolved int `json:"resolved" doc:"Errors that are resolved."`
	Unknown  int `json:"unknown" doc:"Resolved alerts of which no error is known, or that fired again since."`
	LeftOut  int `json:"left_out" doc:"Alerts that were not in the request, too many for one, or sent by sett itself."`
}

// The bounds of what is read of a request.
const (
	mostAlerts      = 500
	mostAlertLabels = 60
	longestLabel    = 2000 // bytes
)

var errNoAlerts = sett.Errorf(sett.Malformed, "The body is no payload of an Alertmanager webhook: it has no list of alerts. Use a webhook_config with this address, without a payload of your own.")

func (in *Ingest) postAlertmanager(w http.ResponseWriter, r *http.Request) error {
	project, err := in.alertmanagerProject(r)
	if err != nil {
		return err
	}
	serve.Known(r.Context())
	m := in.memories.take()
	body, err := in.inflatedTo(w, r, m, maxBatchSent, maxBatchPlain)
	if err != nil {
		return in.refuse(project, err)
	}
	if err := serve.Hold(r.Context(), len(body)); err != nil { // what is read has memory of its own
		return err
	}
	var sent alertmanagerBody
	if err := json.Unmarshal(body, &sent); err != nil || sent.Alerts == nil {
		return in.refuse(project, errNoAlerts)
	}
	in.memories.giveBack(m)
	taken := alertmanagerTaken{LeftOut: max(sent.Truncated, 0)}
	for i := range sent.Alerts {
		if i == mostAlerts {
			taken.LeftOut += len(sent.Alerts) - i
			break
		}
		if err := in.takeAlert(r.Context(), project, &sent.Alerts[i], &taken); err != nil {
			return err
		}
	}
	return serve.WriteJSON(w, http.StatusOK, taken)
}

// alertmanagerProject returns the project of the key of a request. A key that is part of web pages may not resolve errors.
func (in *Ingest) alertmanagerProject(r *http.Request) (accounts.KeyedProject, error) {
	key := bearerKey(r)
	if user, password, ok := r.BasicAuth(); ok {
		key = cmp.Or(strings.TrimSpace(password), strings.TrimSpace(user))
	}
	project, err := in.project(r.Context(), key)
	if err != nil {
		return project, err
	}
	return project, project.Scope.RefuseMore("resolve errors")
}

// takeAlert stores a firing alert, or resolves the error of one that is over. Those that a sett sent to the Alertmanager itself are left out:
// each would become an error, whose alert would become another one, for ever.
func (in *Ingest) takeAlert(ctx context.Context, p accounts.KeyedProject, a *alertmanagerAlert, taken *alertmanagerTaken) error {
	if a.Labels[alerts.AlertmanagerLabel] != "" {
		taken.LeftOut++
		return nil
	}
	if a.Status != "resolved" {
		n := a.notice()
		m := in.memories.take()
		m.notice = n.Append(m.notice[:0], event.MaxNotice)
		if _, err := in.submit(p, m, converted{notice: m.notice}); err != nil {
			return err // without the memory: the notice may still be on its way to the store
		}
		in.memories.giveBack(m)
		taken.Firing++
		return nil
	}
	err := in.faults.ResolveByNotice(ctx, in.now(), p.ProjectID, event.TokenID(p.ProjectID, a.token()))
	switch {
	case sett.CodeOf(err) == sett.NotFound: // it fired before sett received alerts, its events are deleted, or it fired again
		taken.Unknown++
		return nil
	case err != nil:
		return err
	}
	taken.Resolved++
	return nil
}

// identity is what Alertmanager knows an alert by, or a hash of its labels.
func (a *alertmanagerAlert) identity() string {
	if id := strings.TrimSpace(a.Fingerprint); id != "" {
		return cutTo(id, longestLabel)
	}
	h := fnv.New64a()
	for _, name := range slices.Sorted(maps.Keys(a.Labels)) {
		_, _ = h.Write([]byte(strconv.Quote(name) + strconv.Quote(a.Labels[name])))
	}
	return strconv.FormatUint(h.Sum64(), 16)
}

// token is the same whenever Alertmanager repeats an alert, so that it is one event.
func (a *alertmanagerAlert) token() string {
	return "alertmanager " + a.identity() + " " + strconv.FormatInt(a.StartsAt.UnixMilli(), 10)
}

func (a *alertmanagerAlert) notice() *notice.Notice {
	l := func(names ...string) string { return firstOf(a.Labels, names...) }
	n := &notice.Notice{
		Token: a.token(), Class: cmp.Or(l("alertname"), "Alert"), Message: firstOf(a.Annotations, "summary", "description", "message", "title"),
		Fingerprint: "alertmanager " + a.identity(), Level: notice.Level(l("severity")), Component: l("job", "service"), Hostname: l("instance"),
		Environment: l("environment", "env"), Context: members(a.Labels), Notifier: notice.Notifier{Name: "Alertmanager"},
	}
	if !a.StartsAt.IsZero() {
		n.Time = a.StartsAt.UTC().Format(time.RFC3339Nano)
	}
	about := append(members(a.Annotations), notice.TextMember("generator_url", cutTo(a.Generator, longestLabel))...)
	if len(about) > 0 {
		n.Details = []notice.Member{{Key: "alert", Value: notice.Object(about)}}
	}
	return n
}

// members returns texts by name as members, in the order of their names; of very many, the first.
func members(texts map[string]string) (all []notice.Member) {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if len(all) == mostAlertLabels {
			break
		}
		all = append(all, notice.TextMember(cutTo(name, 200), cutTo(texts[name], longestLabel))...)
	}
	return all
}

// firstOf returns the first text that is not blank.
func firstOf(texts map[string]string, names ...string) string {
	for _, name := range names {
		if text := strings.TrimSpace(texts[name]); text != "" {
			return cutTo(text, longestLabel)
		}
	}
	return ""
}

func cutTo(text string, most int) string {
	if len(text) > most {
		text = text[:most]
	}
	return strings.ToValidUTF8(text, "")
}
