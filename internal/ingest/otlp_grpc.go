package ingest

import (
	"io"
	"net/http"
	"strconv"

	"sett/internal/ingest/otlp"
	"sett/internal/serve"
	"sett/internal/sett/accounts"
)

// GRPCRoutes returns the routes of OTLP exporters that speak gRPC, for a listener that speaks HTTP/2. A call has one message, which is the
// body of OTLP by HTTP: it is read by the same handlers. A library for gRPC would double the dependencies for these few lines.
func (in *Ingest) GRPCRoutes() (routes []serve.Route) {
	for _, s := range []struct {
		service, name string
		handle        otlpHandler
	}{
		{"logs.v1.LogsService", "Logs", in.batchOf(otlp.Logs)},
		{"trace.v1.TraceService", "Traces", in.batchOf(otlp.Traces)},
		{"metrics.v1.MetricsService", "Metrics", in.dropMetrics},
	} {
		routes = append(routes, serve.Route{
			Method: http.MethodPost, Path: "/opentelemetry.proto.collector." + s.service + "/Export", Name: "grpc" + s.name, Tag: "Reporting",
			Permission: accounts.ReportWithKey, Raw: true, Doc: "For exporters of OpenTelemetry.", Quiet: true, Handle: grpcAnswers(s.handle),
		})
	}
	return routes
}

// grpcAnswers has a handler answer a call. Its status is in the trailers, and so is why it failed.
func grpcAnswers(next otlpHandler) serve.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		var answer otlpAnswer
		call, err := callOf(r)
		if err == nil {
			answer, err = next(w, call)
		}
		w.Header().Set("Content-Type", otlp.GRPC)
		if err == nil {
			_, _ = w.Write(otlp.Frame(otlp.Accepted(otlp.Protobuf, answer.signal, answer.rejected, answer.reason)))
			w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
			return nil
		}
		e := otlpError(r, err)
		w.Header().Set("Grpc-Status", strconv.Itoa(otlp.CodeOf(serve.Status(e.Code))))
		w.Header().Set("Grpc-Message", otlp.HeaderText(e.Message))
		return nil
	}
}

// callOf returns a call as a request of OTLP by HTTP.
func callOf(r *http.Request) (*http.Request, error) {
	message, size, compressed, err := otlp.Unframe(r.Body)
	if err != nil {
		return nil, bodyError(err)
	}
	call := r.Clone(r.Context())
	call.Body, call.ContentLength = io.NopCloser(message), size
	call.Header.Set("Content-Type", otlp.Protobuf.MediaType())
	call.Header.Del("Content-Encoding")
	if compressed {
		call.Header.Set("Content-Encoding", r.Header.Get("Grpc-Encoding"))
	}
	return call, nil
}
