import protobuf from 'protobufjs'

/** The messages that senders encode, as OpenTelemetry and Prometheus publish them, without the members no test sends. */
const messages = `
syntax = "proto3";
message AnyValue { oneof value {
  string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
  ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7; } }
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message Scope { string name = 1; string version = 2; }
message ExportMetricsServiceRequest { repeated ResourceMetrics resource_metrics = 1; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; string schema_url = 3; }
message ScopeMetrics { Scope scope = 1; repeated Metric metrics = 2; string schema_url = 3; }
message Metric { string name = 1; string description = 2; string unit = 3; oneof data {
  Gauge gauge = 5; Sum sum = 7; Histogram histogram = 9; ExponentialHistogram exponential_histogram = 10; Summary summary = 11; } }
message Gauge { repeated NumberDataPoint data_points = 1; }
message Sum { repeated NumberDataPoint data_points = 1; int32 aggregation_temporality = 2; bool is_monotonic = 3; }
message Histogram { repeated HistogramDataPoint data_points = 1; int32 aggregation_temporality = 2; }
message ExponentialHistogram { repeated ExponentialHistogramDataPoint data_points = 1; int32 aggregation_temporality = 2; }
message Summary { repeated SummaryDataPoint data_points = 1; }
message Exemplar { fixed64 time_unix_nano = 2; double as_double = 3; }
message NumberDataPoint { repeated KeyValue attributes = 7; fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3;
  oneof value { double as_double = 4; sfixed64 as_int = 6; } repeated Exemplar exemplars = 5; uint32 flags = 8; }
message HistogramDataPoint { repeated KeyValue attributes = 9; fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3;
  fixed64 count = 4; optional double sum = 5; repeated fixed64 bucket_counts = 6; repeated double explicit_bounds = 7;
  uint32 flags = 10; optional double min = 11; optional double max = 12; }
message ExponentialHistogramDataPoint { fixed64 time_unix_nano = 3; fixed64 count = 4; sint32 scale = 6; }
message SummaryDataPoint { repeated KeyValue attributes = 7; fixed64 time_unix_nano = 3; fixed64 count = 4; double sum = 5;
  repeated ValueAtQuantile quantile_values = 6; uint32 flags = 8; }
message ValueAtQuantile { double quantile = 1; double value = 2; }
message WriteRequest { repeated TimeSeries timeseries = 1; repeated MetricMetadata metadata = 3; }
message MetricMetadata { int32 type = 1; string metric_family_name = 2; string help = 4; string unit = 5; }
message TimeSeries { repeated Label labels = 1; repeated Sample samples = 2; repeated NativeHistogram histograms = 4; }
message Label { string name = 1; string value = 2; }
message Sample { double value = 1; int64 timestamp = 2; }
message NativeHistogram { uint64 count_int = 1; double sum = 3; }
message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; string schema_url = 3; }
message Span { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5;
  int32 kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
  uint32 dropped_attributes_count = 10; repeated SpanEvent events = 11; uint32 dropped_events_count = 12;
  repeated SpanLink links = 13; uint32 dropped_links_count = 14; SpanStatus status = 15; fixed32 flags = 16; }
message SpanEvent { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; }
message SpanLink { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; repeated KeyValue attributes = 4; }
message SpanStatus { string message = 2; int32 code = 3; }
message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
message Any { string type_url = 1; bytes value = 2; }
message ExportLogsServiceRequest { repeated ResourceLogs resource_logs = 1; }
message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; string schema_url = 3; }
message ScopeLogs { LogScope scope = 1; repeated LogRecord log_records = 2; string schema_url = 3; }
message LogScope { string name = 1; string version = 2; repeated KeyValue attributes = 3; }
message LogRecord { fixed64 time_unix_nano = 1; fixed64 observed_time_unix_nano = 11; int32 severity_number = 2;
  string severity_text = 3; AnyValue body = 5; repeated KeyValue attributes = 6; uint32 dropped_attributes_count = 7;
  fixed32 flags = 8; bytes trace_id = 9; bytes span_id = 10; }
message ExportMetricsServiceResponse { ExportMetricsPartialSuccess partial_success = 1; }
message ExportMetricsPartialSuccess { int64 rejected_data_points = 1; string error_message = 2; }
`

const { root } = protobuf.parse(messages)

/** Returns the type of a message, by the library's own tables. */
export const messageType = (name: string) => root.lookupType(name)

/** Encodes a message of its form in JSON. */
export function encoded(name: string, value: object): Uint8Array {
  const type = messageType(name)
  return type.encode(type.fromObject(value)).finish()
}

/** Returns a value of JSON in which ids of traces and spans are base64, as `encoded` reads bytes, and not hexadecimal. */
export const withByteIds = (value: object): object =>
  JSON.parse(JSON.stringify(value), (name, member) =>
    /^(trace|span|parentSpan)Id$/.test(name) ? Buffer.from(String(member), 'hex').toString('base64') : member,
  )
