package ingest

import (
	"cmp"
	"net/http"
	"sync"

	"sett/internal/ingest/event"
	"sett/internal/ingest/ndjson"
	"sett/internal/ingest/otlp"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
)

// The bounds of a batch of logs or spans.
const (
	maxBatchSent  = 2 << 20 // bytes
	maxBatchPlain = 8 << 20 // bytes
	batchWorkers  = 16      // notices of one batch that wait for the store at a time
)

// The categories of what is dropped of batches.
const (
	spanCategory   = "span"
	metricCategory = "metric_bucket"
)

// otlpRoutes returns the routes of OTLP exporters, which append the paths to the endpoint that they are given: this server, or its path /otlp.
func (in *Ingest) otlpRoutes() (routes []serve.Route) {
	handlers := []struct {
		signal string
		handle otlpHandler
	}{
		{"logs", in.batchOf(otlp.Logs)},
		{"traces", in.batchOf(otlp.Traces)},
		{"metrics", in.dropMetrics},
	}
	for _, prefix := range []string{"", "/otlp"} {
		for _, h := range handlers {
			path, name := prefix+"/v1/"+h.signal, h.signal
			if prefix != "" {
				name += "WithPrefix"
			}
			routes = append(routes,
				serve.Route{
					Method: http.MethodPost, Path: path, Name: "otlp" + name, Tag: "Reporting", Permission: accounts.ReportWithKey, Raw: true,
					Doc: "For exporters of OpenTelemetry.", Quiet: true, Handle: AllowOrigins(otlpAnswers(h.handle)),
				},
				serve.Route{
					Method: http.MethodOptions, Path: path, Name: "preflightOTLP" + name, Tag: "Reporting", Permission: accounts.Public,
					Doc: "CORS preflight for reports from browsers.", Quiet: true, Handle: AllowOrigins(preflight("POST, OPTIONS")),
				},
			)
		}
	}
	return routes
}

// otlpAnswer is what a request is answered with if nothing failed.
type otlpAnswer struct {
	encoding otlp.Encoding
	signal   otlp.Signal
	rejected int    // records or spans that are not stored, and will not be when they are sent again
	reason   string // for that
}

// otlpHandler answers a request. With an error, the answer has only the encoding.
type otlpHandler func(w http.ResponseWriter, r *http.Request) (otlpAnswer, error)

// otlpAnswers writes what a handler answers in the encoding of the request, errors among it. Exporters retry only after 429 and 503.
func otlpAnswers(next otlpHandler) serve.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		answer, err := next(w, r)
		status, body := http.StatusOK, otlp.Accepted(answer.encoding, answer.signal, answer.rejected, answer.reason)
		if err != nil {
			e := otlpError(r, err)
			serve.SetRetryAfter(w.Header(), &e)
			status = serve.Status(e.Code)
			body = otlp.Refused(answer.encoding, status, e.Message)
		}
		w.Header().Set("Content-Type", answer.encoding.MediaType())
		w.WriteHeader(status)
		_, _ = w.Write(body)
		return nil
	}
}

// otlpError returns what an exporter may know of an error, with a code that it reads.
func otlpError(r *http.Request, err error) sett.Error {
	e := *serve.Explain(r, err)
	switch e.Code {
	case sett.Invalid:
		e.Code = sett.Malformed // 400 is the status of OTLP for what is wrong with a request
	case "", sett.TooSlow:
		e.Code = sett.Unavailable // the exporter is to send the batch again
	}
	return e
}

// batchOf returns the handler of a signal. It answers 200 only once all exceptions and log records in a batch are durable; spans that are no
// exceptions are dropped.
func (in *Ingest) batchOf(signal otlp.Signal) otlpHandler {
	return func(w http.ResponseWriter, r *http.Request) (otlpAnswer, error) {
		answer := otlpAnswer{encoding: otlp.EncodingOf(r.Header.Get("Content-Type"), nil), signal: signal}
		project, err := in.otlpProject(r)
		if err != nil {
			return answer, err
		}
		m := in.memories.take()
		body, err := in.inflatedTo(w, r, m, maxBatchSent, maxBatchPlain)
		if err != nil {
			return answer, in.refuse(project, err)
		}
		answer.encoding = otlp.EncodingOf(m.contentType, body)
		if err := serve.Hold(r.Context(), len(body)); err != nil { // what is read has memory of its own
			return answer, err
		}
		batch, err := otlp.Read(body, signal, answer.encoding)
		if doc, notes, ok := m.readable(body, err); ok && answer.encoding == otlp.JSON {
			if again, fails := otlp.Read(doc, signal, otlp.JSON); fails == nil && again.Says() {
				batch, err, m.notes = again, nil, notes
			}
		}
		if err != nil {
			return answer, in.refuse(project, err)
		}
		batch.Repairs = m.notes
		in.memories.giveBack(m)
		in.drop(project, spanCategory, stats.DroppedUnsupported, batch.Dropped)
		if answer.rejected, answer.reason, err = in.submitBatch(project, batch); err != nil {
			return answer, err
		}
		err = in.submitLogs(project, batch, &answer)
		return answer, err
	}
}

// otlpProject returns the project of the key of a request.
func (in *Ingest) otlpProject(r *http.Request) (accounts.KeyedProject, error) {
	project, err := in.projectOfBearer(r)
	if err == nil {
		serve.Known(r.Context())
	}
	return project, err
}

// submitBatch stores the exceptions of a batch, some at a time. It returns how many are refused for good, with the reason for one of them,
// or the error because of which the batch is to be sent again; what is stored by then counts once.
func (in *Ingest) submitBatch(p accounts.KeyedProject, batch otlp.Batch) (rejected int, reason string, err error) {
	var mu sync.Mutex
	var workers sync.WaitGroup
	next := make(chan *otlp.Exception)
	for range min(batchWorkers, len(batch.Exceptions)) {
		workers.Go(func() {
			for e := range next {
				failure := in.submitException(p, e, batch.Repairs)
				mu.Lock()
				switch sett.CodeOf(failure) {
				case sett.Malformed, sett.Invalid, sett.TooLarge, sett.Forbidden:
					rejected, reason = rejected+1, failure.Error()
				default:
					err = cmp.Or(err, failure)
				}
				mu.Unlock()
			}
		})
	}
	for _, e := range batch.Exceptions {
		next <- e
	}
	close(next)
	workers.Wait()
	if batch.LeftOut > 0 {
		rejected, reason = rejected+batch.LeftOut, "The request contains too many records. Send smaller batches."
		in.drop(p, errorCategory, stats.DroppedTooLarge, batch.LeftOut)
	}
	return rejected, reason, err
}

// submitLogs stores the log records of a batch that are no exceptions. Those beyond the limit of the day are rejected for good: the exporter would
// send exceptions again with them.
func (in *Ingest) submitLogs(p accounts.KeyedProject, batch otlp.Batch, answer *otlpAnswer) error {
	if !in.events.On() {
		in.drop(p, logCategory, stats.DroppedUnsupported, len(batch.Logs))
		return nil
	}
	sent := in.newEvents(p)
	for _, log := range batch.Logs {
		e, bytes := log.Event(in.now())
		sent.add(ndjson.Noted(e, batch.Repairs), bytes)
	}
	err := in.submitEvents(sent)
	if sett.CodeOf(err) == sett.TooMany {
		answer.rejected, answer.reason = answer.rejected+len(batch.Logs), err.Error()
		return nil
	}
	return err
}

// submitException stores one exception, with what was repaired in its request.
func (in *Ingest) submitException(p accounts.KeyedProject, e *otlp.Exception, repairs []string) error {
	m := in.memories.take()
	n := e.Notice()
	n.Repairs = repairs
	m.notice = n.Append(m.notice[:0], event.MaxNotice)
	if _, err := in.submit(p, m, converted{notice: m.notice}); err != nil {
		return err // without the memory: the notice may still be on its way to the store
	}
	in.memories.giveBack(m)
	return nil
}

// dropMetrics accepts metrics, which exporters send beside logs and traces unless they are configured not to, counts them and stores none.
func (in *Ingest) dropMetrics(w http.ResponseWriter, r *http.Request) (otlpAnswer, error) {
	answer := otlpAnswer{encoding: otlp.EncodingOf(r.Header.Get("Content-Type"), nil)}
	project, err := in.otlpProject(r)
	if err != nil {
		return answer, err
	}
	m := in.memories.take()
	defer in.memories.giveBack(m)
	body, err := in.inflatedTo(w, r, m, maxBatchSent, maxBatchPlain)
	if err != nil {
		in.dropFor(project, metricCategory, err, 1)
		return answer, err
	}
	answer.encoding = otlp.EncodingOf(r.Header.Get("Content-Type"), body)
	batch, err := otlp.Read(body, otlp.Metrics, answer.encoding)
	if err != nil {
		batch.Dropped = 1 // at least
	}
	in.drop(project, metricCategory, stats.DroppedUnsupported, batch.Dropped)
	return answer, nil
}
