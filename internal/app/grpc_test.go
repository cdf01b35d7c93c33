package app_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"google.golang.org/protobuf/encoding/protowire"

	"sett/internal/app"
	"sett/internal/serve"
	"sett/internal/setttest"
)

// exceptionLog returns an export request (opentelemetry-proto, ExportLogsServiceRequest) of one log record with an exception.
func exceptionLog(class string) []byte {
	field := func(n protowire.Number, inside ...byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), inside)
	}
	attribute := func(key, value string) []byte {
		return field(6, append(field(1, []byte(key)...), field(2, field(1, []byte(value)...)...)...)...)
	}
	record := append(attribute("exception.type", class), attribute("exception.message", "it broke")...)
	return field(1, field(2, field(2, record...)...)...)
}

// framed returns a message as gRPC sends it.
func framed(flag byte, message []byte) []byte {
	n := len(message)
	return append([]byte{flag, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, message...)
}

// caller returns a client that calls by gRPC, which is HTTP/2 without TLS.
func caller() *http.Client {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Client{Transport: &http.Transport{Protocols: protocols}}
}

// call sends a call, and returns its status, the message of its status, and its answer.
func call(t *testing.T, client *http.Client, address, service, key string, body []byte, encoding string) (status, says string, answer []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/opentelemetry.proto.collector."+service+"/Export", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/grpc")
	r.Header.Set("Te", "trailers")
	r.Header.Set("X-Api-Key", key)
	if encoding != "" {
		r.Header.Set("Grpc-Encoding", encoding)
	}
	got, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if answer, err = io.ReadAll(got.Body); err != nil {
		t.Fatal(err)
	}
	if kind := got.Header.Get("Content-Type"); got.ProtoMajor != 2 || got.StatusCode != http.StatusOK || kind != "application/grpc" {
		t.Errorf("%s is answered by HTTP/%d with %d as %s", service, got.ProtoMajor, got.StatusCode, kind)
	}
	status = got.Trailer.Get("Grpc-Status") + got.Header.Get("Grpc-Status") // of an answer without a body, trailers are headers
	return status, got.Trailer.Get("Grpc-Message") + got.Header.Get("Grpc-Message"), answer
}

// Exporters of OpenTelemetry report by gRPC to a listener of its own, compressed or not, and are answered as by HTTP.
func TestOpenTelemetryByGRPC(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		client, address, key := caller(), s.App.GRPCAddr(), s.Setup.APIKey
		defer client.CloseIdleConnections()
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(exceptionLog("Packed"))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			service, key, encoding string
			body                   []byte
			status, says           string
		}{
			{"logs.v1.LogsService", key, "", framed(0, exceptionLog("Plain")), "0", ""},
			{"logs.v1.LogsService", key, "gzip", framed(1, packed.Bytes()), "0", ""},
			{"logs.v1.LogsService", key, "gzip", framed(0, exceptionLog("Announced")), "0", ""}, // the flag decides
			{"trace.v1.TraceService", key, "", framed(0, nil), "0", ""},
			{"metrics.v1.MetricsService", key, "", framed(0, nil), "0", ""},
			{"logs.v1.LogsService", "wrong", "", framed(0, exceptionLog("Lost")), "16", "key"},
			{"logs.v1.LogsService", key, "", framed(0, exceptionLog("Lost"))[:20], "3", "ends in the middle"},
			{"logs.v1.LogsService", key, "", []byte("no"), "3", "no message of gRPC"},
			{"logs.v1.LogsService", key, "", framed(0, []byte("\xff\xff")), "3", ""},
		} {
			status, says, answer := call(t, client, address, c.service, c.key, c.body, c.encoding)
			if status != c.status || !strings.Contains(says, c.says) || c.status == "0" && !bytes.Equal(answer, framed(0, nil)) {
				t.Errorf("%s with %q: status %s, %q, %x; want %s, %q", c.service, c.body, status, says, answer, c.status, c.says)
			}
		}
		var list serve.List[struct{ Klass, Message string }]
		s.Get(fmt.Sprintf("/v2/projects/%d/faults", s.Setup.ProjectID)).Into(&list)
		if got := fmt.Sprint(list.Results); got != "[{Announced it broke} {Packed it broke} {Plain it broke}]" {
			t.Errorf("the errors are %s", got)
		}
	}, func(c *app.Config) { c.GRPCListen = "127.0.0.1:0" })
}

// An exporter by gRPC that is led to the port for HTTP finds nothing but an end; the log says what to do.
func TestGRPCToThePortForHTTP(t *testing.T) {
	t.Parallel()
	var log lockedText
	s := setttest.StartLogged(t, "sqlite", slog.New(slog.NewTextHandler(&log, nil)))
	for range 2 {
		c, err := net.Dial("tcp", s.App.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(c)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 505") || !strings.Contains(string(answer), "--otlp-grpc-listen") {
			t.Errorf("the preface of HTTP/2 is answered %q, %v", answer, err)
		}
	}
	if n := strings.Count(log.String(), "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"); n != 1 {
		t.Errorf("the log says so %d times:\n%s", n, log.String())
	}
}
