// Command exceptions is a shop that fails, and reports it with OpenTelemetry: as an event of a span with a stack trace, and as a log record
// of the same span. With the argument grpc it reports by gRPC, otherwise by HTTP.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"slices"

	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

func charge(order int) error {
	return fmt.Errorf("charge order %d: %w", order, errors.New("card gateway is down"))
}

func pay(ctx context.Context, logger *slog.Logger) {
	span := trace.SpanFromContext(ctx)
	if err := charge(42); err != nil {
		span.RecordError(err, trace.WithStackTrace(true))
		logger.ErrorContext(ctx, "charge failed", "error", err)
	}
}

func exporters(ctx context.Context) (spans sdktrace.SpanExporter, records sdklog.Exporter, err error) {
	var failed error
	if slices.Contains(os.Args[1:], "grpc") {
		spans, err = otlptracegrpc.New(ctx)
		records, failed = otlploggrpc.New(ctx)
	} else {
		spans, err = otlptracehttp.New(ctx)
		records, failed = otlploghttp.New(ctx)
	}
	return spans, records, errors.Join(err, failed)
}

func main() {
	ctx := context.Background()
	spans, records, err := exporters(ctx)
	if err != nil {
		log.Fatal(err)
	}
	tracers := sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans))
	loggers := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(records)))
	inSpan, span := tracers.Tracer("shop").Start(ctx, "POST /pay/{id}", trace.WithAttributes(attribute.String("http.route", "/pay/{id}")))
	pay(inSpan, otelslog.NewLogger("shop", otelslog.WithLoggerProvider(loggers)))
	span.End()
	if err := errors.Join(tracers.Shutdown(ctx), loggers.Shutdown(ctx)); err != nil { // traces first, which have the frames
		log.Fatal(err)
	}
}
