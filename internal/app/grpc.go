package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"sett/internal/serve"
)

// maxCalls is how many calls of one connection by gRPC are handled at a time.
const maxCalls = 32

// serveGRPC accepts OpenTelemetry by gRPC on a listener of its own, where that is asked for. It needs HTTP/2, which nothing else of the server
// speaks.
func (a *App) serveGRPC() error {
	if a.cfg.GRPCListen == "" {
		return nil
	}
	listener, err := net.Listen("tcp", a.cfg.GRPCListen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", a.cfg.GRPCListen, err)
	}
	a.own.Add(listener.Addr())
	a.grpc = a.newServer(serve.NewMux(a.calls, serve.MuxOptions{Log: a.log, Bodies: a.bodies, Answers: &a.responses}))
	a.grpc.Addr, a.grpc.Protocols, a.grpc.HTTP2 = listener.Addr().String(), new(http.Protocols), &http.HTTP2Config{MaxConcurrentStreams: maxCalls}
	a.grpc.Protocols.SetUnencryptedHTTP2(true)
	go func() {
		if err := a.grpc.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			a.failed <- fmt.Errorf("serve gRPC: %w", err)
		}
	}()
	a.log.Info("sett accepts OpenTelemetry by gRPC", "listen", a.grpc.Addr)
	return nil
}

// stopGRPC takes no more calls, and finishes those that run.
func (a *App) stopGRPC(ctx context.Context) error {
	if a.grpc == nil {
		return nil
	}
	err := a.grpc.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, a.grpc.Close())
	}
	return err
}

// GRPCAddr returns where OpenTelemetry is accepted by gRPC; "" where it is not.
func (a *App) GRPCAddr() string {
	if a.grpc == nil {
		return ""
	}
	return a.grpc.Addr
}

// noteGRPC wraps all that is served. Exporters by gRPC that are led here begin with the preface of HTTP/2 (RFC 9113 §3.4), to which no answer
// of HTTP/1.1 means anything to them, so that the log says what to do.
func (a *App) noteGRPC(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "PRI" || r.RequestURI != "*" {
			next.ServeHTTP(w, r)
			return
		}
		a.prefaces.warn(a.now(), func() {
			a.log.Warn("a client speaks gRPC or HTTP/2 on a port that takes HTTP/1.1, so nothing of it arrives", "client", r.RemoteAddr,
				"hint", "if it sends OpenTelemetry, set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf there, or accept gRPC with --otlp-grpc-listen (SETT_OTLP_GRPC_LISTEN)")
		})
		w.Header().Set("Connection", "close")
		http.Error(w, "This port speaks HTTP/1.1. Send OTLP by HTTP, or gRPC to the port of --otlp-grpc-listen.", http.StatusHTTPVersionNotSupported)
	})
}
