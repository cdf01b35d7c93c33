package demo

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"sett/internal/ingest/event"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/faultdb"
	"sett/internal/store/intakedb"
)

// planNotices has notices come in every slot.
func (w *world) planNotices() {
	mean := float64(noticesOfScale*w.scale/w.thin) / float64(days*24*time.Hour)
	for _, p := range w.projects {
		w.makeFaults(p, w.dice("faults of "+p.name))
	}
	d := w.dice("notices")
	for _, s := range w.slots() {
		w.history.at(s.from.Add(d.between(0, s.length)), "notices", func(ctx context.Context, now time.Time) error {
			return w.occur(ctx, now, d, s, mean)
		})
	}
}

// occurred is a notice and what it is of.
type occurred struct {
	*project
	*fault
	report *faults.Report
}

// occur records what came in a slot.
func (w *world) occur(ctx context.Context, now time.Time, d dice, s slot, mean float64) error {
	var all []occurred
	for _, p := range w.projects {
		p.look(now)
		for _, f := range p.faults {
			if within(f.born, s) || !f.again.IsZero() && within(f.again, s) {
				all = append(all, w.notice(p, f, d, now))
			}
		}
		if len(p.busy.faults) == 0 {
			continue
		}
		for range d.count(mean * float64(s.length) * p.plan.notices * p.pace(now)) {
			all = append(all, w.notice(p, p.busy.any(d), d, now))
		}
	}
	return w.record(ctx, now, all)
}

func within(at time.Time, s slot) bool { return !at.Before(s.from) && at.Before(s.from.Add(s.length)) }

// mostAtOnce is how many notices one transaction stores, and mostPacked how many are packed together, as intake does.
const (
	mostAtOnce = 512
	mostPacked = 8
)

// record stores notices, and plans what people do about faults that are new.
func (w *world) record(ctx context.Context, now time.Time, all []occurred) error {
	for len(all) > 0 {
		batch := all[:min(len(all), mostAtOnce)]
		all = all[len(batch):]
		var in intakedb.Intake
		var packer faultdb.Packer
		for rest := batch; len(rest) > 0; rest = rest[min(len(rest), mostPacked):] {
			var reports []*faults.Report
			for _, o := range rest[:min(len(rest), mostPacked)] {
				reports = append(reports, o.report)
			}
			in.Reports = append(in.Reports, packer.Pack(reports)...)
		}
		receipts, err := w.store.Intake.RecordNotices(ctx, now, accounts.Limits{}, in)
		if err != nil {
			return err
		}
		if err := w.receive(ctx, now, batch, receipts); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) receive(ctx context.Context, now time.Time, batch []occurred, receipts []accounts.Receipt) error {
	for i, r := range receipts {
		if r.Outcome != accounts.Stored {
			continue
		}
		w.Notices++
		o := batch[i]
		if o.fault.id != 0 {
			continue
		}
		n, err := w.store.Faults.NoticeByUUID(ctx, o.project.id, r.ID)
		if err != nil {
			return err
		}
		o.fault.id = n.FaultID
		w.Faults++
		w.care(o.project, o.fault, now)
	}
	return nil
}

// The parts of a body, as clients send them.
type (
	noticeBody struct {
		Notifier    map[string]string `json:"notifier"`
		Error       noticeError       `json:"error"`
		Breadcrumbs breadcrumbs       `json:"breadcrumbs"`
		Request     noticeRequest     `json:"request"`
		Server      noticeServer      `json:"server"`
		Correlation map[string]string `json:"correlation_context"`
	}
	noticeError struct {
		Class     string          `json:"class"`
		Message   string          `json:"message"`
		Tags      []string        `json:"tags"`
		Backtrace json.RawMessage `json:"backtrace"`
		Causes    json.RawMessage `json:"causes"`
	}
	breadcrumbs struct {
		Enabled bool         `json:"enabled"`
		Trail   []breadcrumb `json:"trail"`
	}
	breadcrumb struct {
		Category  string         `json:"category"`
		Message   string         `json:"message"`
		Timestamp string         `json:"timestamp"`
		Metadata  map[string]any `json:"metadata,omitempty"`
	}
	noticeRequest struct {
		URL       string            `json:"url,omitempty"`
		Component string            `json:"component"`
		Action    string            `json:"action"`
		Params    map[string]any    `json:"params"`
		Session   map[string]any    `json:"session"`
		CGIData   map[string]string `json:"cgi_data"`
		Context   map[string]any    `json:"context"`
	}
	noticeServer struct {
		Root        string         `json:"project_root"`
		Environment string         `json:"environment_name"`
		Hostname    string         `json:"hostname"`
		Revision    string         `json:"revision"`
		PID         int            `json:"pid"`
		Time        string         `json:"time"`
		Stats       map[string]any `json:"stats"`
	}
)

// requestOf returns the id of the request in which an error occurs: half of the errors of five minutes occur in the same one, whatever their project.
func (w *world) requestOf(own string, now time.Time) string {
	if own[0]%2 == 0 {
		return own
	}
	return strings.ToUpper(w.dice("request at " + now.Truncate(5*time.Minute).Format(time.RFC3339)).text(13))
}

// notice makes a notice of a fault.
func (w *world) notice(p *project, f *fault, d dice, now time.Time) occurred {
	order := strconv.Itoa(40_000 + d.IntN(9_999))
	v := visit{order: order, user: visitorOf(d), cart: d.hex(8), id: strings.ToUpper(d.text(13)), host: pick(d, p.language.hosts), ms: 5000 + d.IntN(900), browser: pick(d, browsers)}
	v.id = w.requestOf(v.id, now)
	message := v.fill(f.message)
	running := p.runs(now)
	body := noticeBody{
		Notifier: map[string]string{"name": p.language.notifier, "version": p.language.version, "url": p.language.url, "language": p.language.name},
		Error:    noticeError{f.class, message, f.tags, f.trace, f.causes},
		Request:  v.request(p, f),
		Server: noticeServer{
			p.language.root, f.environment, v.host, running.revision, 100 + d.IntN(400), now.Format(time.RFC3339),
			map[string]any{"mem": map[string]int{"total": 4096, "free": 300 + d.IntN(1500)}, "load": map[string]float64{"one": float64(d.IntN(300)) / 100}},
		},
	}
	body.Correlation = map[string]string{"request_id": "01JD" + v.id}
	body.Breadcrumbs = breadcrumbs{true, v.trail(p, f, now)}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // they are texts and numbers
	}
	r, _, err := event.Parse(text, event.Options{Project: accounts.KeyedProject{AccountID: w.AccountID, ProjectID: p.id}, Now: now}, &w.facets)
	if err != nil {
		panic(err) // the demo writes what clients may send
	}
	o := occurred{p, f, r}
	w.noteError(o, v, now)
	return o
}
