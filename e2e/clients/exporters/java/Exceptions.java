import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.logs.Severity;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.opentelemetry.exporter.otlp.http.logs.OtlpHttpLogRecordExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.logs.SdkLoggerProvider;
import io.opentelemetry.sdk.logs.export.BatchLogRecordProcessor;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;

/** A shop that fails, and reports it with OpenTelemetry: as a log record and as an event of the same span. */
public class Exceptions {
  static class Refused extends RuntimeException {
    Refused(String message, Throwable cause) { super(message, cause); }
  }

  static void charge(int order) {
    try {
      Integer.parseInt("x");
    } catch (NumberFormatException e) {
      throw new Refused("payment refused for order " + order, e);
    }
  }

  public static void main(String[] args) {
    String base = System.getenv("SETT_BASE") + "/otlp/v1/", key = System.getenv("SETT_KEY");
    SdkTracerProvider tracers = SdkTracerProvider.builder().addSpanProcessor(BatchSpanProcessor.builder(
        OtlpHttpSpanExporter.builder().setEndpoint(base + "traces").addHeader("X-API-Key", key).setCompression("gzip").build()).build()).build();
    SdkLoggerProvider loggers = SdkLoggerProvider.builder().addLogRecordProcessor(BatchLogRecordProcessor.builder(
        OtlpHttpLogRecordExporter.builder().setEndpoint(base + "logs").addHeader("X-API-Key", key).setCompression("gzip").build()).build()).build();
    Span span = tracers.get("shop").spanBuilder("POST /pay/{id}").setAttribute("http.route", "/pay/{id}").startSpan();
    try (Scope scope = span.makeCurrent()) {
      charge(42);
    } catch (Refused e) {
      span.recordException(e);
      try (Scope scope = span.makeCurrent()) {
        log(loggers, e);
      }
    }
    span.end();
    boolean sent = tracers.shutdown().join(20, TimeUnit.SECONDS).isSuccess() & loggers.shutdown().join(20, TimeUnit.SECONDS).isSuccess();
    System.exit(sent ? 0 : 1);
  }

  /** Logs an error as the appenders for Logback and Log4j do. */
  static void log(SdkLoggerProvider loggers, Throwable e) {
    StringWriter trace = new StringWriter();
    e.printStackTrace(new PrintWriter(trace));
    loggers.get("shop").logRecordBuilder().setSeverity(Severity.ERROR).setBody("charge failed").setAllAttributes(Attributes.of(
        AttributeKey.stringKey("exception.type"), e.getClass().getName(),
        AttributeKey.stringKey("exception.message"), e.getMessage(),
        AttributeKey.stringKey("exception.stacktrace"), trace.toString())).emit();
  }
}
