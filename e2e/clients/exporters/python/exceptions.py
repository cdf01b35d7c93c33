"""A shop that fails, and reports it with OpenTelemetry: as a log record and as an event of the same span."""
import logging
import sys

from opentelemetry import trace
from opentelemetry._logs import set_logger_provider
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


class Refused(Exception):
    pass


def gateway():
    return {}["card"]


def charge(order):
    try:
        gateway()
    except KeyError as e:
        raise Refused(f"payment refused for order {order}") from e


tracers, loggers = TracerProvider(), LoggerProvider()
tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
loggers.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
trace.set_tracer_provider(tracers)
set_logger_provider(loggers)
logging.getLogger().addHandler(LoggingHandler(logger_provider=loggers))
tracer = trace.get_tracer("shop")

with tracer.start_as_current_span("POST /pay/{id}", attributes={"http.route": "/pay/{id}", "enduser.id": "7"}) as span:
    try:
        charge(42)
    except Refused as e:
        logging.getLogger("shop").exception("charge failed")
        span.record_exception(e)

try:  # an error that leaves two spans, each of which records it
    with tracer.start_as_current_span("GET /cart"):
        with tracer.start_as_current_span("SELECT carts"):
            raise TimeoutError("the database does not respond")
except TimeoutError:
    pass

sys.exit(0 if tracers.force_flush() and loggers.force_flush() else 1)
