// Command exceptions is a shop that fails, and reports it with OpenTelemetry: as an event of a span with a stack trace, and as a log record
// of the same span.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"

	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
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

func main() {
	ctx := context.Background()
	spans, err := otlptracehttp.New(ctx)
	if err != nil {
		log.Fatal(err)
	}
	records, err := otlploghttp.New(ctx)
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
