// A shop that fails, and reports it with OpenTelemetry: as a log record and as an event of the same span. The argument is the
// suffix of the packages of exporters: http for JSON, proto for protobuf.
'use strict'

const { trace, context } = require('@opentelemetry/api')
const { SeverityNumber } = require('@opentelemetry/api-logs')
const { LoggerProvider, BatchLogRecordProcessor } = require('@opentelemetry/sdk-logs')
const { NodeTracerProvider } = require('@opentelemetry/sdk-trace-node')
const { BatchSpanProcessor } = require('@opentelemetry/sdk-trace-base')
const { OTLPLogExporter } = require(`@opentelemetry/exporter-logs-otlp-${process.argv[2]}`)
const { OTLPTraceExporter } = require(`@opentelemetry/exporter-trace-otlp-${process.argv[2]}`)

function charge(order) {
  throw new TypeError(`payment refused for order ${order}`)
}

const tracers = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] })
tracers.register()
const loggers = new LoggerProvider({ processors: [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter() })] })

trace.getTracer('shop').startActiveSpan('POST /pay/:id', { attributes: { 'http.route': '/pay/:id' } }, (span) => {
  try {
    charge(42)
  } catch (e) {
    span.recordException(e)
    loggers.getLogger('shop').emit({
      severityNumber: SeverityNumber.ERROR, body: 'charge failed', context: context.active(),
      attributes: { 'exception.type': e.name, 'exception.message': e.message, 'exception.stacktrace': e.stack },
    })
  }
  span.end()
})

Promise.all([tracers.shutdown(), loggers.shutdown()])
